import { createLogger } from './logger';

/**
 * Ends the process with a last log line, sanitised like any other, when an error comes up that nobody awaits. Node's
 * own way prints the error with all that hangs on it: headers, bodies, orders. For launchers; exit code 1.
 */
export function giveLastWords(): void {
  // Unhandled rejections come here too.
  process.once('uncaughtException', (err: unknown, origin) => {
    try {
      createLogger({ level: 'fatal' }).fatal({ err, origin }, 'unexpected: the process ends');
    } finally {
      // The state after it is unknown, and an open socket would keep the process.
      // eslint-disable-next-line no-restricted-properties
      process.exit(1);
    }
  });
}
