import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { madeUpOrder } from '../dev/made-up-order';
import { startWholeSystem } from '../dev/whole-system';
import { inParallel } from '../src/activities/in-parallel';
import { createBodyText } from '../src/domain/order';
import { orderFingerprint } from '../src/domain/order-fingerprint';
import { startReconciliation, endOfReconciliation } from '../src/engine/reconciliation-runs';
import { toSecond } from '../src/reconciliation/run-window';
import { RuleSet } from '../src/sandbox-bank/rules/rule-set';
import type { Bench } from './bench';

/**
 * Books of a growing size that agree: finals that the bank is asked about, and a tenth as many open ones, each with a
 * run, which are compared by their last answer. No limit of questions a second; one worker; bank, engine and journal on
 * the same machine. The books are written directly: it is the comparison that is measured.
 */
const SIZES = [1_000, 10_000, 100_000] as const;
const BATCH = 5_000;
const STARTS_AT_ONCE = 50;
const LOOK_EVERY_MS = 250;
/** Ten times the books: more than twice the time for one transfer, or this much more memory, is no flat line. */
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

  const write = async (firstId: number, count: number, status: 'COMPLETED' | 'DELAYED'): Promise<void> => {
    const rules = RuleSet.read([{ states: [status] }]);
    for (let from = firstId; from < firstId + count; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, firstId + count - from) }, (_, i) => {
        const order = madeUpOrder(from + i, 'bench');
        const dossier = env.bank.book.dossierFor({ ...order, originId: String(from + i) }, (it) =>
          rules.behaviourFor(it),
        );
        const { id, networkId } = env.bank.book.take(dossier);
        return {
          ...{ originId: from + i, order, movementId: id, networkId },
          ...{ orderSha256: orderFingerprint(order), createBody: createBodyText(order) },
        };
      });
      await sql.query(WRITE_OPEN, [JSON.stringify(rows)]);
      await sql.query(WRITE_ANSWER, [JSON.stringify(rows), status]);
      if (status === 'COMPLETED') await sql.query(WRITE_FINAL, [JSON.stringify(rows)]);
    }
  };

  const rows: string[][] = [];
  const failures: string[] = [];
  const figures: { perTransferMs: number; peakMb: number }[] = [];
  const written = { finals: 0, open: 0 };
  for (const size of SIZES.filter((one) => one <= finals)) {
    const more = { finals: size - written.finals, open: size / 10 - written.open };
    await write(1 + written.finals, more.finals, 'COMPLETED');
    const openIds = Array.from({ length: more.open }, (_, i) => OPEN_FROM + written.open + i);
    await write(OPEN_FROM + written.open, more.open, 'DELAYED');
    await inParallel(openIds, STARTS_AT_ONCE, async (originId) => {
      // Nobody works on this queue: the run stays open.
      await env.engine.workflow.start('transfer', {
        ...{
          workflowId: `transfer-${originId}`,
          taskQueue: 'bench-nobody',
          args: [madeUpOrder(originId, 'bench')],
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
    figures.push({ perTransferMs: tookMs / transfers, peakMb });
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

  for (const [index, { perTransferMs, peakMb }] of figures.entries()) {
    const before = figures[index - 1];
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

/** Far above the finals. */
const OPEN_FROM = 1_000_001;

/** Claims are one second old at least: a final is asked about after its gap. */
const WRITE_OPEN = `
with row as (
  select * from jsonb_to_recordset($1::jsonb) as r (
    "originId" bigint, "order" jsonb, "orderSha256" text, "createBody" text
  )
), opened as (
  insert into giro.transfer (origin_id, order_sha256, order_json, create_body, opened_at)
  select r."originId", r."orderSha256", r."order", r."createBody", now() - interval '1 minute' from row r
)
insert into giro.request (origin_id, number, kind, run_id, claimed_at)
select r."originId", 1, 'create', 'bench', now() - interval '1 minute' from row r`;

const WRITE_ANSWER = `
insert into giro.answer (origin_id, number, digest, answer, recorded_at)
select r."originId", 1, 'bench', jsonb_build_object('kind', 'answered', 'movement', jsonb_build_object(
  'status', $2::text, 'movementId', r."movementId", 'network', 'COELSA', 'networkId', r."networkId",
  'postingAt', null, 'completedAt', null, 'echo', 'match', 'echoFields', '[]'::jsonb,
  'evidenceSha256', repeat('0', 64))), now() - interval '1 minute'
from jsonb_to_recordset($1::jsonb) as r ("originId" bigint, "movementId" text, "networkId" text)`;

const WRITE_FINAL = `
insert into giro.result (origin_id, result, recorded_at)
select r."originId", jsonb_build_object('originId', r."originId", 'status', 'COMPLETED', 'movementId', r."movementId",
  'network', 'COELSA', 'networkId', r."networkId",
  'amount', jsonb_build_object('currency', '032', 'value', '1500.25'), 'annulmentId', null, 'decidedBy', 'bank',
  'reason', null, 'orderSha256', r."orderSha256"), now() - interval '50 seconds'
from jsonb_to_recordset($1::jsonb) as r ("originId" bigint, "movementId" text, "networkId" text, "orderSha256" text)`;

/** Resident memory of a process; 0 where the system does not tell. */
function residentMb(pid: number): number {
  try {
    const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kB ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
