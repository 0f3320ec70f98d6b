import Table from 'cli-table3';
import { resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { sayOnStderr } from '../dev/elapsed-stamp';
import type { Scope } from '../dev/scope';
import { scoped } from '../dev/scoped';
import { hasClusterBinaries } from '../dev/topology/temporal-cluster';
import { parseDuration } from '../src/config/duration';
import { audit } from './audit';
import { bankDay } from './bank-day';
import type { Bench, BenchReport } from './bench';
import { delayed } from './delayed';
import { faults } from './faults';
import { journal } from './journal';
import { kills } from './kills';
import { lateness } from './lateness';
import { parts } from './parts';
import { reconciliation } from './reconciliation';
import { recovery } from './recovery';
import { starts } from './starts';
import { statement } from './statement';
import { sandboxBank } from './sandbox-bank';
import { throughput } from './throughput';
import { CONTESTANTS, ON_TEMPORAL } from './throughput/contestants';
import type { ContestantName } from './throughput/contestants';
import { ENGINE_STORES } from './throughput/servers';
import type { EngineStore } from './throughput/servers';
import { webhooks } from './webhooks';

const BENCHES: Readonly<Record<string, Bench>> = {
  ...{
    throughput,
    parts,
    lateness,
    starts,
    delayed,
    recovery,
    kills,
    faults,
    webhooks,
    reconciliation,
    statement,
    audit,
  },
  journal,
  'sandbox-bank': sandboxBank,
  'bank-day': bankDay,
};

const JOURNAL_TRANSFERS = 1_000_000;
const ROUND_TRANSFERS = 400;
/** Of a Temporal server that keeps its data in PostgreSQL. */
const BINARIES = 'TEMPORAL_SERVER_PATH and TEMPORAL_SQL_TOOL_PATH (docs/deployment.md)';

interface BenchArguments {
  readonly outage: string;
  readonly kills: string;
  readonly finals: string;
  readonly open: number;
  readonly statementLines: string;
  readonly transfers?: number;
  readonly concurrency: number;
  readonly rounds: number;
  readonly engineStore: EngineStore;
  readonly contestants?: readonly ContestantName[];
  readonly roundsOnly: boolean;
  readonly write: boolean;
  readonly profile?: string;
}

/** `npm run bench`: prints a table for each measurement. Exits 1 when a ratio or a count is out of bounds. */
async function main(): Promise<void> {
  const command = new Command('npm run bench --')
    .description('Measures Giro on a Temporal server, a PostgreSQL and a sandbox bank that it starts.')
    .addArgument(new Argument('[names...]', 'which; default: all').choices(Object.keys(BENCHES)))
    .option('--outage <duration>', 'recovery, faults: duration of an outage', '2m')
    .addOption(new Option('--kills <n>', 'kills: how many').choices(['5', '20', '100', '500']).default('20'))
    .addOption(
      new Option('--finals <n>', 'reconciliation, audit: size of the largest books')
        .choices(['1000', '10000', '100000'])
        .default('10000'),
    )
    .addOption(
      new Option('--statement-lines <n>', 'statement: size of the largest statement')
        .choices(['10000', '100000', '1000000'])
        .default('10000'),
    )
    .addOption(
      new Option(
        '--transfers <n>',
        'journal: in the larger books (default: 1000000); throughput, parts: in each round (default: 400)',
      ).argParser(count),
    )
    .addOption(new Option('--open <n>', 'delayed: transfers in DELAYED').argParser(count).default(10_000))
    .addOption(
      new Option('--concurrency <n>', 'throughput, parts: open transfers at a time')
        .argParser(count)
        .default(200),
    )
    .addOption(
      new Option('--rounds <n>', 'throughput: of each contestant; parts: of each topology')
        .argParser(count)
        .default(3),
    )
    .addOption(
      new Option(
        '--contestants <names>',
        `throughput: of ${CONTESTANTS.join(',')} (default: all; with --engine-store postgres those on Temporal)`,
      ).argParser(contestantNames),
    )
    .addOption(
      new Option(
        '--engine-store <store>',
        `throughput: where Temporal keeps its data; postgres needs ${BINARIES}`,
      )
        .choices(ENGINE_STORES)
        .default('memory'),
    )
    .option('--rounds-only', 'throughput: leave out histories and kills', false)
    .option('--write', 'throughput, parts: write the report to bench/results', false)
    .option('--profile <folder>', 'throughput, parts: write processor profiles of the workers to this folder')
    .parse();
  const given = command.opts<BenchArguments>();
  const parsed = parseDuration(given.outage);
  if (!parsed.ok) {
    process.stderr.write('--outage: expected a duration such as 60s or 1h\n');
    process.exitCode = 2;
    return;
  }
  if (given.write && (given.roundsOnly || given.contestants !== undefined)) {
    process.stderr.write('--write: reports the whole contest; leave out --rounds-only and --contestants\n');
    process.exitCode = 2;
    return;
  }
  const say = sayOnStderr();
  process.exitCode = 0;
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (command.args.length > 0 && !command.args.includes(name)) continue;
    if (command.args.length === 0 && bench === parts && !hasClusterBinaries(process.env)) {
      say(`parts is left out: it needs ${BINARIES}`);
      continue;
    }
    say(name);
    const isGood = await run((scope) =>
      bench(scope, {
        ...{ outageMs: parsed.ms, kills: Number(given.kills), finals: Number(given.finals) },
        ...{
          open: given.open,
          statementLines: Number(given.statementLines),
          transfers: given.transfers ?? JOURNAL_TRANSFERS,
        },
        throughput: {
          ...{ transfers: given.transfers ?? ROUND_TRANSFERS, concurrency: given.concurrency },
          ...{ rounds: given.rounds, roundsOnly: given.roundsOnly },
          contestants: given.contestants ?? (given.engineStore === 'postgres' ? ON_TEMPORAL : CONTESTANTS),
          engineStore: given.engineStore,
          ...{ write: given.write, nodeOptions: profileOptions(given.profile) },
        },
        say,
      }),
    );
    if (!isGood) process.exitCode = 1;
  }
}

function count(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number above 0');
  return Number(text);
}

function contestantNames(text: string): readonly ContestantName[] {
  const names = text.split(',');
  const unknown = names.find((name) => !CONTESTANTS.includes(name as ContestantName));
  if (unknown !== undefined) throw new InvalidArgumentError(`there is no contestant ${unknown}`);
  return CONTESTANTS.filter((name) => names.includes(name));
}

const profileOptions = (folder: string | undefined): readonly string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];

async function run(measure: (scope: Scope) => Promise<BenchReport>): Promise<boolean> {
  const isGood = await scoped(async (scope) => {
    const { title, head, rows, failures } = await measure(scope);
    const table = new Table({ head: [...head], style: { head: [], border: [] } });
    table.push(...rows.map((row) => [...row]));
    process.stdout.write(`${title}\n${table.toString()}\n`);
    for (const failure of failures) process.stdout.write(`WRONG: ${failure}\n`);
    return failures.length === 0;
  });
  return isGood ?? false;
}

void main();
