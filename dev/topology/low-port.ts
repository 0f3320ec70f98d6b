import { createServer } from 'node:net';

/** Below the ephemeral ports, so that no outgoing connection takes a port before it is used. */
const FIRST = 20_000;
const LAST = 32_000;
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/**
 * Returns a free port below 32,768, because the Temporal server stores its members' ports in a signed 16-bit column. No
 * two calls return the same port.
 */
export async function lowPort(): Promise<number> {
  for (;;) {
    next = next >= LAST ? FIRST : next + 1;
    if (await isFree(next)) return next;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
