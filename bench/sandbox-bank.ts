import { Agent, request } from 'node:http';
import { madeUpOrder } from '../dev/made-up-order';
import { startSandboxBank } from '../src/sandbox-bank';
import { ourBank } from '../src/bank/our-bank';
import type { Bench } from './bench';

/** Movements before the second batch. If each create scanned all of them, the second batch would be far slower. */
const MOVEMENTS = 10_000;
const BATCH = 1_000;
const SLOWER_AT_MOST = 3;

/**
 * A create at the sandbox bank must cost the same for any number of movements, so that the bank does not slow down
 * tests.
 */
export const sandboxBank: Bench = async (scope, { say }) => {
  const bank = scope.own(await startSandboxBank({ token: 'bench', tls: false }), (it) => it.close());
  const agent = scope.own(new Agent({ keepAlive: true, maxSockets: 20 }), (it) => {
    it.destroy();
  });
  const create = (originId: number): Promise<void> =>
    new Promise((resolve, reject) => {
      request(`${bank.baseUrl}/v2/apibank/movements/transfer-request`, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', authorization: 'bench' },
      })
        .on('error', reject)
        .on('response', (response) => response.resume().on('end', resolve))
        .end(ourBank.movements.createBody(madeUpOrder(originId, 'bench')));
    });
  const batch = async (from: number, size: number): Promise<number> => {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: size }, (_, i) => create(from + i)));
    return performance.now() - startedAt;
  };
  await batch(1, BATCH);
  const earlyMs = await batch(100_001, BATCH);
  say(`${BATCH} creates on an empty bank: ${Math.round(earlyMs)} ms`);
  await batch(200_001, MOVEMENTS);
  const lateMs = await batch(300_001, BATCH);
  const held = bank.book.movements().length;
  const ratio = lateMs / earlyMs;
  return {
    title: `Sandbox bank: ${BATCH} creates over plain HTTP, 20 at a time`,
    head: ['movements held', 'ms', 'creates/s'],
    rows: [
      [String(BATCH), Math.round(earlyMs).toString(), Math.round((BATCH / earlyMs) * 1_000).toString()],
      [String(held - BATCH), Math.round(lateMs).toString(), Math.round((BATCH / lateMs) * 1_000).toString()],
    ],
    failures: [
      ...(held === MOVEMENTS + 3 * BATCH ? [] : [`the bank holds ${held} movements`]),
      ...(ratio <= SLOWER_AT_MOST
        ? []
        : [`a batch took ${ratio.toFixed(1)} times as long with ${MOVEMENTS} movements more`]),
    ],
  };
};
