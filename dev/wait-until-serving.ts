import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptProcess } from './kept-process';

const PROBE_EVERY_MS = 100;

/** Probes a server until it answers. Fails when the server ends, with its last log lines, or when the time is up. */
export async function waitUntilServing(
  name: string,
  server: KeptProcess,
  probe: () => Promise<void>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const ended = server.ended.then((end) => {
    throw new Error(`${name} ended while starting (code ${end.code}, signal ${end.signal})\n${end.log}`);
  });
  ended.catch(() => undefined);
  for (;;) {
    const failure = await Promise.race([ended, probe().then(() => null, String)]);
    if (failure === null) break;
    if (Date.now() > deadline) throw new Error(`${name} does not answer after ${timeoutMs} ms: ${failure}`);
    await Promise.race([ended, sleep(PROBE_EVERY_MS)]);
  }
  // The answer may come from another server that has taken the port. This server then ends within a moment.
  await Promise.race([ended, sleep(PROBE_EVERY_MS)]);
}
