import { engineError } from '../client/engine-errors';
import { loadSettings } from '../config/settings';
import type { Config, Need, Settings } from '../config/settings';
import { createContext } from '../context';
import type { Context } from '../context';
import type { JournalIdentity } from '../journal/identity';
import { createLogger } from '../telemetry/logger';
import type { Logger } from '../telemetry/logger';
import { redactText, TEXT_MAX_LENGTH } from '../telemetry/redact-text';
import { isError } from '../telemetry/sanitize';
import type { ExitCode } from './exit-codes';
import { exitCodeOf, isExpected, EXIT } from './exit-codes';
import { endOnSignalsAsFirstProcess } from './io';
import type { CommandIo } from './io';

/** Needed by every command. */
export type EveryCommand = 'logging' | 'tracing';

/** The settings of a command: those of the environment, or a subset. */
export function settingsOf<const N extends Need>(
  io: CommandIo,
  needs: readonly N[],
): Settings<N | EveryCommand> {
  return loadSettings<N | EveryCommand>(io.env(), ['logging', 'tracing', ...needs]);
}

/**
 * Runs `body` with a context of what it needs, and closes the context in any case. `identity`: its role in the
 * journal; default: that of people who run commands.
 */
export async function withContext<const N extends Need, T>(
  io: CommandIo,
  needs: readonly N[],
  body: (context: Context<N | EveryCommand>) => Promise<T>,
  identity: JournalIdentity = 'giro_operator',
): Promise<T> {
  const { config, secrets, warnings } = settingsOf(io, needs);
  const logger = io.overrides?.logger ?? loggerOf(io, config.logging);
  for (const warning of warnings) logger.warn(warning);
  const context = await createContext<N | EveryCommand>(config, secrets, {
    ...io.overrides,
    logger,
    identity,
  });
  try {
    return await body(context);
  } catch (error) {
    // A command may have passed on what the SDK threw: a server that cannot be reached has its own exit code.
    throw engineError(error, null, temporalIn(config));
  } finally {
    await context.close();
  }
}

/** The engine's name and address, for messages. */
function temporalIn(config: object): string {
  const { temporal }: Partial<Config> = config;
  return temporal === undefined ? 'Temporal' : `Temporal at ${temporal.address}`;
}

export function loggerOf({ logDestination }: CommandIo, { level }: Config['logging']): Logger {
  return createLogger({ level, ...(logDestination === null ? {} : { destination: logDestination }) });
}

/** The exit code of a command that ends by itself; errors are printed on stderr, in sentences. */
export async function runCommand(io: CommandIo, body: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await body();
  } catch (error) {
    reportFailure(io, error);
    return exitCodeOf(error);
  }
}

const STACK_MAX_LENGTH = 8_192;

/** The message of an unexpected error may contain anything. */
export function reportFailure({ stderr }: CommandIo, error: unknown): void {
  if (isExpected(error)) {
    stderr.write(`giro: ${error.message}\n`);
    return;
  }
  const text = isError(error) ? (error.stack ?? error.message) : 'no error';
  stderr.write(`giro: unexpected: ${redactText(text, { maxLength: STACK_MAX_LENGTH })}\n`);
}

/**
 * The exit code of a command that runs until it is stopped, under the worker's role in the journal. Its
 * stderr is a log from the first to the last line, so errors are log lines too.
 */
export async function runService<const N extends Need>(
  io: CommandIo,
  needs: readonly N[],
  body: (context: Context<N | EveryCommand>) => Promise<void>,
): Promise<ExitCode> {
  try {
    await withContext(io, needs, body, 'giro_runtime');
    return EXIT.done;
  } catch (error) {
    // The settings themselves may be wrong.
    const logger = io.overrides?.logger ?? loggerOf(io, { level: 'info' });
    const exitCode = exitCodeOf(error);
    if (isExpected(error)) for (const part of uncutParts(error.message)) logger.fatal({ exitCode }, part);
    else logger.fatal({ exitCode, err: error }, 'ended by an unexpected error');
    return exitCode;
  }
}

/** The text in parts that end with a line, and that the log does not cut: a wrong configuration may have many errors. */
function uncutParts(text: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const line of text.split('\n')) {
    const longer = part === '' ? line : `${part}\n${line}`;
    if (longer.length > TEXT_MAX_LENGTH && part !== '') parts.push(part);
    part = longer.length > TEXT_MAX_LENGTH ? line : longer;
  }
  return [...parts, part];
}

/**
 * Logs that a long-running command is ready: `"msg":"ready"`, at every `LOG_LEVEL`, because programs that start the
 * command wait for this line.
 */
export function logReady(logger: Logger, fields: Readonly<Record<string, unknown>>): void {
  logger.child({}, { level: 'info' }).info(fields, 'ready');
}

/** For launchers: runs the program of this process, and sets the exit code that it returns. */
export function runAsProcess(program: () => Promise<ExitCode>): void {
  exitOnUncaughtError();
  endOnSignalsAsFirstProcess();
  // If nothing is left to wait for, Node ends the process before the program has returned. That is no success.
  process.exitCode = EXIT.unexpected;
  void program().then((code) => {
    process.exitCode = code;
  });
}

/**
 * Ends the process with a last, sanitised log line when an error is not handled anywhere. Node itself would print the
 * error with everything attached to it: headers, bodies, orders. Exit code 1.
 */
function exitOnUncaughtError(): void {
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
