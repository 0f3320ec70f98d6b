import { setTimeout } from 'node:timers/promises';
import { madeUpOrder } from '../dev/made-up-order';
import { startWholeSystem } from '../dev/whole-system';
import type { Bench } from './bench';
import { quantile } from './samples';

/** How long a backend service waits until Temporal has accepted its order. Temporal keeps its data on disk. */
const RATE = 10;
const SECONDS = 60;
const P99_MAX_MS = 50;
/** Starts that are not counted: they open connections, and the code gets compiled. */
const WARM_UP = 20;

export const starts: Bench = async (scope, { say }) => {
  const { env, startWorker } = await startWholeSystem(scope, {
    ui: false,
    onDisk: true,
    rules: [{ states: ['CREATED', 'COMPLETED'] }],
    workerEnv: { BANK_MAX_RPS: '0', LOG_LEVEL: 'error' },
    say,
  });
  await startWorker();
  const count = WARM_UP + RATE * SECONDS;
  const beganMs = performance.now();
  say(`${RATE} starts a second for ${SECONDS} s`);
  const waits = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      await setTimeout((i * 1_000) / RATE - (performance.now() - beganMs));
      const startedMs = performance.now();
      await env.giro.startTransfer(madeUpOrder(i + 1, 'bench'));
      return performance.now() - startedMs;
    }),
  );
  say('the last transfers');
  const ends = await Promise.all(
    waits.map((_, i) => env.giro.waitForTransfer(i + 1, { timeoutMs: 300_000 })),
  );
  const measured = waits.slice(WARM_UP);
  const p99 = quantile(measured, 0.99);
  const open = ends.filter(({ status }) => status !== 'COMPLETED').length;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return {
    title: `starts: ${RATE} orders a second for ${SECONDS} s, while a worker carries them out`,
    head: ['starts', 'p50', 'p99', 'at most'],
    rows: [[String(measured.length), ms(quantile(measured, 0.5)), ms(p99), ms(P99_MAX_MS)]],
    failures: [
      ...(p99 <= P99_MAX_MS ? [] : [`p99 of a start: ${ms(p99)}`]),
      ...(open === 0 ? [] : [`${open} transfers did not complete`]),
    ],
  };
};
