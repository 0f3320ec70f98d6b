import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Client } from 'pg';
import { packageRoot } from '../dev/package-root';
import { TASK_QUEUE, startWholeSystem } from '../dev/whole-system';
import type { Report } from '../src/reconciliation/report';
import type { Bench } from './bench';
import { residentMb } from './resident-memory';
import { SENDER, writeBooks } from './written-books';

/**
 * Growing statements, from the file to the report. One line in a hundred is the debit of one of our transfers, matched
 * by each of the three ids in turn. One in a thousand is a debit that nobody ordered; all others are incoming money.
 * The command imports the file in a separate process; the worker compares.
 */
const LENGTHS = [10_000, 100_000, 1_000_000] as const;
const OURS_EACH = 100;
const ORPHAN_EACH = 1_000;
const LOOK_EVERY_MS = 250;
const SAY_EVERY_MS = 10_000;
const MORE_MEMORY_MAX_MB = 150;

const HEADER = 'booked,ours,movement,network,debit,credit';
const MAPPING = {
  ...{ date: 'yyyy-MM-dd HH:mm:ss', utcOffset: '+00:00', accounts: [SENDER.address] },
  columns: {
    ...{ bookedAt: 'booked', originId: 'ours', movementId: 'movement', networkId: 'network' },
    ...{ debit: 'debit', credit: 'credit' },
  },
};

export const statement: Bench = async (scope, { say, statementLines }) => {
  const { env, startWorker, databaseUrl, temporalAddress } = await startWholeSystem(scope, {
    ...{ ui: false, rules: [], say },
    workerEnv: { RECONCILE_MAX_RPS: '0', BANK_MAX_RPS: '0' },
  });
  const sql = scope.own(new Client({ connectionString: databaseUrl }), (it) => it.end());
  await sql.connect();
  const folder = scope.own(await mkdtemp(join(tmpdir(), 'giro-bench-')), (it) => rm(it, { recursive: true }));
  const [file, mapping] = [join(folder, 'statement.csv'), join(folder, 'mapping.json')];
  await writeFile(mapping, JSON.stringify(MAPPING));
  const worker = await startWorker();

  const rows: string[][] = [];
  const failures: string[] = [];
  const peaks: { readonly worker: number; readonly command: number }[] = [];
  let firstId = 1;
  for (const length of LENGTHS.filter((one) => one <= statementLines)) {
    const ours = length / OURS_EACH;
    const out = createWriteStream(file);
    const put = async (line: string): Promise<void> => {
      if (!out.write(`${line}\n`)) await once(out, 'drain');
    };
    await put(HEADER);
    const booked = new Date().toISOString().slice(0, 19).replace('T', ' ');
    let line = 0;
    await writeBooks(env, sql, { firstId, count: ours, status: 'COMPLETED' }, async (batch) => {
      for (const { originId, movementId, networkId } of batch) {
        const id = [`${originId},,`, `,${movementId},`, `,,${networkId}`][line % 3] ?? '';
        await put(`${booked},${id},1500.25,`);
        for (let i = 1; i < OURS_EACH; i += 1) {
          const number = `${firstId}x${(line += 1)}`;
          const isOrphan = line % ORPHAN_EACH === 1;
          await put(`${booked},,m${number},,${isOrphan ? '77.70,' : ',20.00'}`);
        }
        line += 1;
      }
    });
    out.end();
    await once(out, 'finish');
    firstId += ours;
    await sql.query('analyze');
    const bytesBefore = await databaseBytes(sql);
    say(`${length} lines are in the file, ${ours} of them debits of ours`);

    const { rows: statements } = await sql.query<{ id: string }>('select max(id) as id from giro.statement');
    const lastStatement = Number(statements[0]?.id ?? 0);
    const peak = { worker: 0, command: 0 };
    const startedMs = performance.now();
    const child = spawn(
      process.execPath,
      [
        ...[join(packageRoot, 'dist', 'src', 'starter.js'), 'reconcile', 'run', '--json'],
        ...['--statement', file, '--mapping', mapping],
      ],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: {
          ...{ PATH: process.env['PATH'] ?? '', HOME: folder },
          ...{ DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, GIRO_TASK_QUEUE: TASK_QUEUE },
        },
      },
    );
    scope.own(child, (it) => void it.kill());
    let readMs = 0;
    let saidMs = startedMs;
    let isLooking = false;
    const watch = setInterval(() => {
      peak.worker = Math.max(peak.worker, residentMb(worker.pid));
      peak.command = Math.max(peak.command, residentMb(child.pid ?? 0));
      if (isLooking) return;
      isLooking = true;
      void progressOf(sql, lastStatement).then(({ lines, steps, isRead }) => {
        isLooking = false;
        if (isRead && readMs === 0) readMs = performance.now() - startedMs;
        if (performance.now() - saidMs < SAY_EVERY_MS) return;
        saidMs = performance.now();
        say(`${lines} lines read, ${steps} steps done, worker ${peak.worker.toFixed(0)} MB`);
      });
    }, LOOK_EVERY_MS);
    let text = '';
    for await (const chunk of child.stdout) text += String(chunk);
    clearInterval(watch);
    const tookMs = performance.now() - startedMs;
    const report = JSON.parse(text) as Report;
    const bytes = (await databaseBytes(sql)) - bytesBefore;
    peaks.push(peak);
    rows.push([
      ...[String(length), String(ours), (readMs / 1_000).toFixed(1), (tookMs / 1_000).toFixed(1)],
      ...[(length / (tookMs / 1_000)).toFixed(0), peak.command.toFixed(0), peak.worker.toFixed(0)],
      ...[(bytes / 1_048_576).toFixed(0), String(report.breaksOpened)],
    ]);
    const debits = report.totals.statement['DEBIT']?.count;
    if (debits !== ours) failures.push(`${length}: ${debits ?? 0} of ${ours} debits were matched`);
    const orphans = report.byClass.ORPHAN_AT_BANK?.count ?? 0;
    if (orphans === 0 || Object.keys(report.byClass).length !== 1) {
      failures.push(`${length}: breaks other than debits that nobody ordered, or none of those`);
    }
    if (report.outcome !== 'BREAKS') failures.push(`${length}: ${report.outcome}`);
  }
  await worker.stop();
  for (const [index, { worker: ofWorker, command }] of peaks.entries()) {
    const before = peaks[index - 1];
    if (before === undefined) continue;
    if (ofWorker > before.worker + MORE_MEMORY_MAX_MB || command > before.command + MORE_MEMORY_MAX_MB) {
      failures.push('the memory grows with the statement');
    }
  }
  return {
    title: `Statements of growing length through the journal, one worker (${failures.length === 0 ? 'all as it should be' : 'NOT as it should be'})`,
    head: [
      ...['lines', 'of ours', 'read after s', 'report after s', 'lines/s'],
      ...['command peak MB', 'worker peak MB', 'database grew MB', 'breaks opened'],
    ],
    ...{ rows, failures },
  };
};

async function databaseBytes(sql: Client): Promise<number> {
  const { rows } = await sql.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]?.bytes ?? 0);
}

/** The progress of the statement that was begun after a given one, and of its run. */
async function progressOf(
  sql: Client,
  lastStatement: number,
): Promise<{ lines: number; steps: number; isRead: boolean }> {
  const { rows } = await sql.query<{ lines: number; steps: number; is_read: boolean }>(
    `select s.id is not null and exists (select from giro.statement_end e where e.statement_id = s.id) as is_read,
       (select coalesce(max(l.line), 0) from giro.statement_line l where l.statement_id = s.id) as lines,
       (select coalesce(max(t.step), 0) from giro.reconciliation_step t
         join giro.reconciliation r using (as_of) where r.statement_id = s.id) as steps
     from giro.statement s where s.id > $1::bigint`,
    [lastStatement],
  );
  const [row] = rows;
  return { lines: row?.lines ?? 0, steps: row?.steps ?? 0, isRead: row?.is_read ?? false };
}
