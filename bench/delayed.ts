import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { until } from '../dev/giro-environment';
import { madeUpOrder } from '../dev/made-up-order';
import { packageRoot } from '../dev/package-root';
import { startWholeSystem } from '../dev/whole-system';
import { inParallel } from '../src/activities/in-parallel';
import type { Bench } from './bench';
import { residentMb } from './resident-memory';
import { busiestSecond, quantile } from './samples';

/**
 * Thousands of transfers in DELAYED, more than a worker caches, at the cadence of production. Measures the worker's
 * memory as their number grows, and the requests at the bank after a restart of the worker.
 */
const CADENCE_MS = 630_000;
const STARTS_AT_ONCE = 20;
/** Memory is measured when this share of the transfers is open. */
const SHARES = [0.25, 0.5, 1] as const;
const RESIDENT_MAX_MB = 400;
/** Maximum memory, relative to that at a quarter of the transfers: runs outside the cache need no memory. */
const GROWTH_MAX = 1.25;
/** Maximum number of requests in one second, relative to the busiest second before the restart. */
const BURST_MAX = 2;
const SAMPLED_FOR_MS = 20_000;

export const delayed: Bench = async (scope, { open: transfers, say }) => {
  const { env, startWorker } = await startWholeSystem(scope, {
    ui: false,
    rules: [{ states: ['DELAYED'] }],
    workerEnv: { POLL_DELAYED: `${CADENCE_MS}ms`, LOG_LEVEL: 'error', ...allocatorOfImage() },
    say,
  });
  const first = await startWorker();
  const requestsOf = (originId: number) => env.bank.book.requests(String(originId));
  const originIds = Array.from({ length: transfers }, (_, i) => i + 1);
  const residentAt: number[] = [];
  let begun = 0;
  for (const share of SHARES) {
    const upTo = Math.round(transfers * share);
    await inParallel(originIds.slice(begun, upTo), STARTS_AT_ONCE, async (originId) => {
      await env.giro.startTransfer(madeUpOrder(originId, 'bench'));
    });
    begun = upTo;
    await until(
      () => Promise.resolve(originIds.slice(0, upTo).filter((it) => requestsOf(it).length < 1).length),
      (left) => left === 0,
      600_000,
    );
    residentAt.push(await highestResident(first.pid));
    say(`${upTo} transfers are open, the worker takes ${residentAt.at(-1)?.toFixed(0)} MB`);
  }
  const beforeMs = Date.now();
  await setTimeout(CADENCE_MS);
  const stoppedMs = Date.now();
  await first.stop();
  const second = await startWorker();
  say('the worker was restarted');
  await until(
    () =>
      Promise.resolve(
        originIds.filter((it) => !requestsOf(it).some(({ at }) => Date.parse(at) > stoppedMs)).length,
      ),
    (left) => left === 0,
    2 * CADENCE_MS,
  );
  const restartedMb = await highestResident(second.pid);
  const arrived = originIds.flatMap((it) => requestsOf(it).map(({ at }) => Date.parse(at)));
  const busiest = (fromMs: number, toMs: number): number =>
    busiestSecond(arrived.filter((ms) => ms >= fromMs && ms < toMs));
  const usual = busiest(beforeMs, stoppedMs);
  const after = busiest(stoppedMs, Date.now());
  const lateMs = originIds.flatMap((it) => {
    const requests = requestsOf(it);
    return requests.slice(1).map(({ at }, i) => {
      const before = requests[i];
      return Date.parse(at) - Date.parse(before?.finishedAt ?? before?.at ?? '') - CADENCE_MS;
    });
  });
  const early = lateMs.filter((ms) => !(ms >= 0)).length;
  const highest = Math.max(...residentAt, restartedMb);
  const growth = (residentAt.at(-1) ?? NaN) / (residentAt[0] ?? NaN);
  return {
    title: `delayed: ${transfers} transfers in DELAYED, asked about every ${CADENCE_MS / 1_000} s; the worker is restarted`,
    head: ['', 'MB of the worker', 'busiest second at the bank', 'late, p99'],
    rows: [
      ...SHARES.map((share, i) => [
        `${Math.round(transfers * share)} open`,
        residentAt[i]?.toFixed(0) ?? '–',
        ...(share === 1 ? [String(usual), `${(quantile(lateMs, 0.99) / 1_000).toFixed(1)} s`] : ['', '']),
      ]),
      ['after the restart', restartedMb.toFixed(0), String(after), ''],
    ],
    failures: [
      ...(highest <= RESIDENT_MAX_MB ? [] : [`the worker took ${highest.toFixed(0)} MB`]),
      ...(growth <= GROWTH_MAX ? [] : [`its memory grew to ${growth.toFixed(2)} of that at a quarter`]),
      ...(early === 0 ? [] : [`${early} look-ups came before their gap was over`]),
      ...(after <= BURST_MAX * usual ? [] : [`${after} requests in one second after the restart`]),
    ],
  };
};

/** The settings of the memory allocator that the image has. */
function allocatorOfImage(): Record<string, string> {
  const image = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8');
  const settings = [...image.matchAll(/\b(MALLOC_[A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  if (settings.length === 0) throw new Error('the Dockerfile sets no MALLOC_ variable');
  return Object.fromEntries(settings) as Record<string, string>;
}

/** The highest value of some seconds, because a heap varies between garbage collections. */
async function highestResident(pid: number): Promise<number> {
  let highest = 0;
  for (let ms = 0; ms < SAMPLED_FOR_MS; ms += 1_000) {
    highest = Math.max(highest, residentMb(pid));
    await setTimeout(1_000);
  }
  return highest;
}
