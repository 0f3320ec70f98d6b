import { setTimeout } from 'node:timers/promises';
import { formatDuration } from '../src/config/duration';
import type { Bench } from './bench';
import { openTransfers } from './open-transfers';
import { busiestSecond } from './samples';

/**
 * Requests at the bank in each second, before, during and after an outage of the bank, with a thousand open transfers.
 * In real time, at an eighth of the usual rate, which a small machine can carry.
 */
const TRANSFERS = 1_000;
const CADENCE_MS = 40_000;
/**
 * Maximum number of requests in one second, relative to the busiest second of the steady state, which includes stalls of a
 * busy machine. If all transfers asked at once, there would be 1,000 requests.
 */
const BURST_MAX = 2;
const STARTS_AT_ONCE = 20;

export const recovery: Bench = async (scope, { outageMs, say }) => {
  const { env, originIds, requestsOf } = await openTransfers(scope, {
    ...{ transfers: TRANSFERS, cadenceMs: CADENCE_MS, overMs: CADENCE_MS },
    ...{ startsAtOnce: STARTS_AT_ONCE, say },
  });
  say(`${TRANSFERS} transfers are open`);
  const steadyMs = Date.now();
  await setTimeout(CADENCE_MS);
  const awayMs = Date.now();
  env.bank.setOutage('http-503');
  say(`the bank is away for ${formatDuration(outageMs)}`);
  await setTimeout(outageMs);
  const backMs = Date.now();
  env.bank.setOutage('none');
  say('the bank is back');
  await setTimeout(3 * CADENCE_MS);
  const endMs = Date.now();

  const arrived: number[] = [];
  let short = 0;
  let sent = 0;
  let left = 0;
  for (const originId of originIds) {
    const records = requestsOf(originId);
    if (!records.some(({ at, status }) => status === 200 && Date.parse(at) >= backMs)) left += 1;
    sent += records.filter(({ service }) => service === 'transfer-request').length;
    for (const [i, { at }] of records.entries()) {
      arrived.push(Date.parse(at));
      const before = records[i - 1]?.finishedAt;
      if (before != null && Date.parse(at) - Date.parse(before) < CADENCE_MS) short += 1;
    }
  }
  const spans = [
    ['steady', steadyMs, awayMs],
    ['away', awayMs, backMs],
    ['first cadence after', backMs, backMs + CADENCE_MS],
    ['two cadences more', backMs + CADENCE_MS, endMs],
  ] as const;
  const measured = spans.map(([name, fromMs, toMs]) => {
    const times = arrived.filter((time) => time >= fromMs && time < toMs);
    return { name, mean: times.length / ((toMs - fromMs) / 1_000), busiest: busiestSecond(times) };
  });
  const usual = Math.max(TRANSFERS / (CADENCE_MS / 1_000), measured[0]?.busiest ?? 0);
  const failures = measured
    .filter(({ busiest }) => busiest > BURST_MAX * usual)
    .map(({ name, busiest }) => `${name}: ${busiest} requests in one second`);
  if (short > 0) failures.push(`${short} requests came before their gap was over`);
  if (sent !== TRANSFERS) failures.push(`${sent} creates for ${TRANSFERS} transfers`);
  if (left > 0) failures.push(`${left} transfers were not asked about after the outage`);
  return {
    title: `recovery: ${TRANSFERS} transfers asked every ${formatDuration(CADENCE_MS)}, bank away for ${formatDuration(outageMs)}`,
    head: ['', 'requests/s, mean', 'busiest second'],
    rows: measured.map(({ name, mean, busiest }) => [name, mean.toFixed(1), String(busiest)]),
    failures,
  };
};
