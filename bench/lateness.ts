import { setTimeout } from 'node:timers/promises';
import type { Bench } from './bench';
import { openTransfers } from './open-transfers';
import { quantile } from './samples';

/** How late the look-ups of active transfers are at the cadence of production, by the bank's clock. */
const TRANSFERS = 250;
const CADENCE_MS = 5_000;
const MEASURED_MS = 180_000;
const P99_MAX_MS = 250;
const STARTS_AT_ONCE = 5;

export const lateness: Bench = async (scope, { say }) => {
  // Starts are spread over four cadences, because they cost more than look-ups and must not pile up.
  const { originIds, requestsOf } = await openTransfers(scope, {
    ...{ transfers: TRANSFERS, cadenceMs: CADENCE_MS, overMs: 4 * CADENCE_MS },
    ...{ startsAtOnce: STARTS_AT_ONCE, say },
  });
  await setTimeout(2 * CADENCE_MS);
  say(`${TRANSFERS} transfers are asked about every ${CADENCE_MS / 1_000} s`);
  const fromMs = Date.now();
  await setTimeout(MEASURED_MS);
  const lateMs = originIds.flatMap((originId) => {
    const requests = requestsOf(originId);
    return requests.slice(1).flatMap(({ at }, i) => {
      const before = requests[i]?.finishedAt ?? null;
      return before === null || Date.parse(at) < fromMs
        ? []
        : [Date.parse(at) - Date.parse(before) - CADENCE_MS];
    });
  });
  const early = lateMs.filter((ms) => ms < 0).length;
  const p99 = quantile(lateMs, 0.99);
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return {
    title: `lateness: ${TRANSFERS} transfers asked about every ${CADENCE_MS / 1_000} s for ${MEASURED_MS / 60_000} minutes`,
    head: ['look-ups', 'early', 'late, p50', 'p99', 'at most', 'latest'],
    rows: [
      [
        ...[String(lateMs.length), String(early), ms(quantile(lateMs, 0.5)), ms(p99), ms(P99_MAX_MS)],
        ms(Math.max(...lateMs)),
      ],
    ],
    failures: [
      ...(early > 0 ? [`${early} look-ups came before their gap was over`] : []),
      ...(p99 <= P99_MAX_MS ? [] : [`p99 of the lateness: ${ms(p99)}`]),
      ...(lateMs.length > 0 ? [] : ['no look-up was measured']),
    ],
  };
};
