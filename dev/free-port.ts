import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A loopback port that is free now. An outgoing connection may take the port at any time, so start the server at once,
 * inside `withPortRetry`.
 */
export const freePort = (): Promise<number> => probed(0);

/**
 * Bounds of `lastingPort`: below the range from which operating systems choose the ports of outgoing connections, and
 * below 32,768, because the Temporal server stores its members' ports in a signed 16-bit column.
 */
const LASTING_MIN = 20_000;
const LASTING_MAX = 32_000;
let next = randomInt(LASTING_MIN, LASTING_MAX);

/**
 * A free loopback port for a server that starts later. No outgoing connection takes it meanwhile, and no two calls
 * return the same port.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    next = next >= LASTING_MAX ? LASTING_MIN : next + 1;
    try {
      return await probed(next);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

function probed(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('a TCP server without a port'));
        else resolve(address.port);
      });
    });
  });
}

/**
 * `NewServerFx`: the Temporal server panicked at its start; only the end of the stack trace is logged. Seen once on a
 * busy machine; the second start succeeded.
 */
const CLASH =
  /address already in use|EADDRINUSE|port is already|can't (?:set|bind)|could not bind|temporal\.NewServerFx/i;
const MAX_ATTEMPTS = 5;

/** Starts a server on free ports. If another process takes one of them first, starts it again on other ports. */
export async function withPortRetry<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CLASH.test(String(error))) throw error;
    }
  }
}
