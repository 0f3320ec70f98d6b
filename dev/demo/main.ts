import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { highLevel } from '../bank-access';
import type { Scope } from '../scope';
import { scoped } from '../scoped';
import { TASK_QUEUE, startWholeSystem } from '../whole-system';
import { compareBooks } from './books';
import { keepOpen } from './keep';
import { allAsExpected, play } from './play';
import { reconcile } from './reconcile';
import { openProgress } from './progress';
import { reportOf } from './report';
import { RULES } from './scenarios';
import { ALL_SCENARIOS, finalTable } from './table';
import {
  VERIFICATIONS,
  VERIFICATION_ENV,
  VERIFICATION_RULES,
  compareVerification,
  verificationsEnded,
} from './verifications';

/** For hangs alone. Usually all transfers end within half a minute; at a load of 25 they took more than 80 s. */
const PLAY_TIMEOUT_MS = 300_000;

interface DemoOptions {
  readonly keep?: boolean;
  readonly report?: string;
}

async function demo(options: DemoOptions, scope: Scope): Promise<number> {
  const progress = await openProgress(process.stdout);
  progress.say('starting PostgreSQL, a Temporal server with its web UI, and a sandbox bank over HTTPS');
  progress.say('the bank demands a client certificate, tokens of its token service, and signed requests');
  const system = await startWholeSystem(scope, {
    ui: true,
    rules: [...RULES, ...VERIFICATION_RULES],
    bank: await highLevel(),
    // The bank is the sandbox bank, so the comparison at the end needs no rate limit.
    workerEnv: { ...VERIFICATION_ENV, RECONCILE_MAX_RPS: '0', DECIDERS: 'ana,luis' },
    say: progress.say,
  });
  const { env, startWorker, databaseUrl, temporalAddress, access } = system;
  const uiUrl = system.uiUrl ?? '';
  progress.say(`Temporal UI: ${uiUrl}`);

  const watching = progress.watch(env);
  try {
    const deadline = Date.now() + PLAY_TIMEOUT_MS;
    await play(env, startWorker, progress.say);
    await Promise.all([allAsExpected(env, ALL_SCENARIOS, deadline), verificationsEnded(env, deadline)]);
  } finally {
    await watching.stop();
  }

  const entries = [];
  for (const scenario of ALL_SCENARIOS) entries.push(await compareBooks(env, scenario));
  const verifications = [];
  for (const scenario of VERIFICATIONS) verifications.push(await compareVerification(env, scenario));
  const reconciled = await reconcile(env, TASK_QUEUE, ALL_SCENARIOS);
  const all = entries.length + verifications.length;
  const wrong = [...entries, ...verifications].filter(({ differences }) => differences.length > 0);
  process.stdout.write(`\n${finalTable(entries, verifications)}\n\n`);
  process.stdout.write(
    wrong.length === 0
      ? `bank, journal and engine agree on all ${entries.length} transfers and ${verifications.length} verifications; every request kept its gap\n`
      : `${wrong.length} of ${all} transfers and verifications did not end as they should\n`,
  );
  const { report, differences } = reconciled;
  process.stdout.write(
    differences.length === 0
      ? `reconciliation of ${report.totals.transfers.count} transfers: ${report.outcome}, as expected; each break (${report.breaks.length}) is about a transfer that waits for an operator\n`
      : `reconciliation: ${differences.join('; ')}\n`,
  );
  if (options.report !== undefined) {
    await writeFile(options.report, `${JSON.stringify(reportOf(entries, verifications), null, 2)}\n`);
    process.stdout.write(`report: ${options.report}\n`);
  }
  if (options.keep === true) {
    await keepOpen(scope, { uiUrl, databaseUrl, temporalAddress, access });
  } else {
    process.stdout.write(
      'everything is taken down again; `npm run demo -- --keep` leaves it up to look at\n',
    );
  }
  return wrong.length + differences.length === 0 ? 0 : 1;
}

/** Everything is stopped before the process ends, for any reason. */
async function main(): Promise<void> {
  const options = new Command('npm run demo --')
    .description(
      'Runs real transfers through a Temporal server, a PostgreSQL and a sandbox bank, and checks the books.',
    )
    .option('--keep', 'leave everything up and print how to look at it, until Ctrl-C')
    .option('--report <file>', 'write the outcome as JSON')
    .parse()
    .opts<DemoOptions>();
  process.exitCode = (await scoped((scope) => demo(options, scope))) ?? 1;
}

void main();
