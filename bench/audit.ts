import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { packageRoot } from '../dev/package-root';
import { startWholeSystem } from '../dev/whole-system';
import type { AuditReport } from '../src/audit/verify-books';
import { NO_TOTALS } from '../src/reconciliation/control-totals';
import type { Journal } from '../src/journal/journal';
import { toSecond } from '../src/reconciliation/run-window';
import type { Bench } from './bench';
import { residentMb } from './resident-memory';
import { verificationTimes } from './signatures';
import { writeBooks } from './written-books';

/**
 * Time and memory of `audit verify` over growing books of ended transfers, with one link of the chain for each size.
 * The command runs in a separate process, and nothing else runs. First, the cost of one signature verification.
 */
const SIZES = [1_000, 10_000, 100_000] as const;
const LOOK_EVERY_MS = 100;
/** Books ten times as large may take at most twice the time for each transfer, and this much more memory. */
const SLOWER_MAX = 2;
const MORE_MEMORY_MAX_MB = 150;
/** Subtracted: the start of the program, which does not depend on the books. */
const START_MS = 3_000;

export const audit: Bench = async (scope, { say, finals }) => {
  for (const [what, ms] of await verificationTimes())
    say(`${what}: ${ms.toFixed(3)} ms of processor time a verification`);
  const { env, databaseUrl } = await startWholeSystem(scope, { ui: false, rules: [], say });
  const sql = scope.own(new Client({ connectionString: databaseUrl }), (it) => it.end());
  await sql.connect();
  const home = scope.own(await mkdtemp(join(tmpdir(), 'giro-bench-')), (it) => rm(it, { recursive: true }));

  const rows: string[][] = [];
  const failures: string[] = [];
  const measured: { perTransferMs: number; peakMb: number }[] = [];
  let written = 0;
  for (const size of SIZES.filter((one) => one <= finals)) {
    await writeBooks(env, sql, { firstId: 1 + written, count: size - written, status: 'COMPLETED' });
    written = size;
    await sql.query('analyze');
    const linkStartedMs = performance.now();
    const head = await recordReport(env.journal, toSecond(Date.now() - (SIZES.length - rows.length) * 1_000));
    const linkMs = performance.now() - linkStartedMs;
    say(`${size} finals are in the books`);

    const startedMs = performance.now();
    const child = spawn(
      process.execPath,
      [join(packageRoot, 'dist', 'src', 'starter.js'), 'audit', 'verify', '--json', '--expect', head],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { PATH: process.env['PATH'] ?? '', HOME: home, DATABASE_URL: databaseUrl },
      },
    );
    scope.own(child, (it) => void it.kill());
    let peakMb = 0;
    const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(child.pid ?? 0))), LOOK_EVERY_MS);
    let text = '';
    for await (const chunk of child.stdout) text += String(chunk);
    clearInterval(watch);
    const tookMs = performance.now() - startedMs;
    const report = JSON.parse(text) as AuditReport;
    measured.push({ perTransferMs: Math.max(0, tookMs - START_MS) / size, peakMb });
    rows.push([
      ...[String(size), (linkMs / 1_000).toFixed(1), (tookMs / 1_000).toFixed(1)],
      ...[(size / (tookMs / 1_000)).toFixed(0), peakMb.toFixed(0)],
    ]);
    if (report.outcome !== 'OK')
      failures.push(`${size}: ${report.outcome}, ${report.first?.rule ?? 'nothing'}`);
    if (report.transfers !== size) failures.push(`${size}: ${report.transfers} were judged`);
    if (report.expected?.sequence !== report.links) failures.push(`${size}: the head is not the newest link`);
  }

  for (const [index, { perTransferMs, peakMb }] of measured.entries()) {
    const before = measured[index - 1];
    if (before === undefined) continue;
    if (before.perTransferMs > 0 && perTransferMs > SLOWER_MAX * before.perTransferMs)
      failures.push('the time grows faster than the books');
    if (peakMb > before.peakMb + MORE_MEMORY_MAX_MB) failures.push('the memory grows with the books');
  }
  return {
    title: `Verification of growing books, one process (${failures.length === 0 ? 'all as it should be' : 'NOT as it should be'})`,
    head: ['finals', 'link, seconds', 'verify, seconds', 'transfers/s', 'peak MB'],
    ...{ rows, failures },
  };
};

/** Records an empty report with its link, and returns the head of the chain. */
async function recordReport(journal: Journal, asOf: string): Promise<string> {
  await journal.openRun({ ...{ asOf, from: asOf, to: asOf }, isDefault: false, statementId: null });
  const link = await journal.endRun(asOf, {
    ...{ asOf, from: asOf, to: asOf, outcome: 'CLEAN', totals: NO_TOTALS, byClass: {}, bySeverity: {} },
    ...{ breaksOpened: 0, breaksResolved: 0, notAskedCount: 0, notAsked: [] },
  });
  if (link === null) throw new Error('the report has no link');
  return link.sha256;
}
