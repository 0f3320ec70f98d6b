import { createServer } from 'node:net';

/** Below where ephemeral ports begin, so that no outgoing connection takes one between here and its use. */
const FIRST = 20_000;
const LAST = 32_000;
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/**
 * A free port below 32,768: the Temporal server keeps its members' ports in a 16-bit signed column of PostgreSQL. No two
 * calls give the same one.
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
