import { Client } from 'pg';
import { startWholeSystem } from '../dev/whole-system';
import { inParallel } from '../src/activities/in-parallel';
import { startReconciliation, endOfReconciliation } from '../src/engine/reconciliation-runs';
import { toSecond } from '../src/reconciliation/run-window';
import type { Bench } from './bench';
import { residentMb } from './resident-memory';
import { writeBooks, writtenOrder } from './written-books';

/**
 * Reconciliation of growing books that agree. They have finals, about which the bank is asked, and a tenth as many open
 * transfers with a run, which are compared by their last answer. One worker, no rate limit; bank, Temporal and journal
 * on the same machine. The books are written directly, so only the comparison is measured.
 */
const SIZES = [1_000, 10_000, 100_000] as const;
const STARTS_AT_ONCE = 50;
const LOOK_EVERY_MS = 250;
/** Books ten times as large may take at most twice the time for each transfer, and this much more memory. */
const SLOWER_MAX = 2;
const MORE_MEMORY_MAX_MB = 150;

export const reconciliation: Bench = async (scope, { say, finals }) => {
  const { env, startWorker, databaseUrl } = await startWholeSystem(scope, {
    ...{ ui: false, rules: [], say },
    workerEnv: { RECONCILE_MAX_RPS: '0', BANK_MAX_RPS: '0' },
  });
  const sql = scope.own(new Client({ connectionString: databaseUrl }), (it) => it.end());
  await sql.connect();
  const worker = await startWorker();

  const write = (firstId: number, count: number, status: 'COMPLETED' | 'DELAYED'): Promise<void> =>
    writeBooks(env, sql, { firstId, count, status });

  const rows: string[][] = [];
  const failures: string[] = [];
  const measured: { perTransferMs: number; peakMb: number }[] = [];
  const written = { finals: 0, open: 0 };
  for (const size of SIZES.filter((one) => one <= finals)) {
    const more = { finals: size - written.finals, open: size / 10 - written.open };
    await write(1 + written.finals, more.finals, 'COMPLETED');
    const openIds = Array.from({ length: more.open }, (_, i) => OPEN_FROM + written.open + i);
    await write(OPEN_FROM + written.open, more.open, 'DELAYED');
    await inParallel(openIds, STARTS_AT_ONCE, async (originId) => {
      // No worker serves this queue, so the run stays open.
      await env.engine.workflow.start('transfer', {
        ...{
          workflowId: `transfer-${originId}`,
          taskQueue: 'bench-nobody',
          args: [writtenOrder(originId)],
        },
      });
    });
    Object.assign(written, { finals: size, open: size / 10 });
    await sql.query('analyze');
    say(`${size} finals and ${size / 10} open transfers are in the books`);

    const before = env.bank.book.requests().length;
    const startedMs = performance.now();
    let peakMb = 0;
    const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(worker.pid))), LOOK_EVERY_MS);
    const asOf = toSecond(Date.now());
    await startReconciliation(env.engine, 'giro', { asOf });
    await endOfReconciliation(env.engine, asOf);
    clearInterval(watch);
    const tookMs = performance.now() - startedMs;
    const report = await env.journal.report(asOf);
    const requests = env.bank.book.requests().length - before;
    const transfers = size + size / 10;
    measured.push({ perTransferMs: tookMs / transfers, peakMb });
    rows.push([
      ...[String(size), String(size / 10), (tookMs / 1_000).toFixed(1)],
      ...[(transfers / (tookMs / 1_000)).toFixed(0), String(requests), peakMb.toFixed(0)],
    ]);
    if (report?.outcome !== 'CLEAN') {
      failures.push(`${size}: ${report?.outcome ?? 'no report'}, ${report?.breaks.length ?? 0} breaks`);
    }
    if (report?.totals.transfers.count !== transfers) failures.push(`${size}: not all were compared`);
    if (requests !== size) failures.push(`${size}: ${requests} requests for ${size} finals`);
  }
  await worker.stop();

  for (const [index, { perTransferMs, peakMb }] of measured.entries()) {
    const before = measured[index - 1];
    if (before === undefined) continue;
    if (perTransferMs > SLOWER_MAX * before.perTransferMs)
      failures.push('the time grows faster than the books');
    if (peakMb > before.peakMb + MORE_MEMORY_MAX_MB) failures.push('the memory grows with the books');
  }
  return {
    title: `Reconciliation of growing books, one worker, no limit of requests (${failures.length === 0 ? 'all as it should be' : 'NOT as it should be'})`,
    head: ['finals', 'open', 'seconds', 'transfers/s', 'bank requests', 'worker peak MB'],
    ...{ rows, failures },
  };
};

/** First originId of the open transfers: far above those of the finals. */
const OPEN_FROM = 1_000_001;
