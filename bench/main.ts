import Table from 'cli-table3';
import { Argument, Command, Option } from 'commander';
import { Scope } from '../dev/scope';
import { releaseOnSignals } from '../dev/signals';
import { parseDuration } from '../src/config/duration';
import { audit } from './audit';
import { bankDay } from './bank-day';
import type { Bench, BenchReport } from './bench';
import { journal } from './journal';
import { kills } from './kills';
import { reconciliation } from './reconciliation';
import { recovery } from './recovery';
import { statement } from './statement';
import { sandboxBank } from './sandbox-bank';
import { webhooks } from './webhooks';

const BENCHES: Readonly<Record<string, Bench>> = {
  ...{ recovery, kills, webhooks, reconciliation, statement, audit, journal },
  'sandbox-bank': sandboxBank,
  'bank-day': bankDay,
};

interface BenchArguments {
  readonly outage: string;
  readonly kills: string;
  readonly finals: string;
  readonly statementLines: string;
  readonly transfers: string;
}

/** `npm run bench`: prints a table for each measurement, ends with 1 when a ratio or a count is broken. */
async function main(): Promise<void> {
  const command = new Command('npm run bench --')
    .description('Measures Giro between a Temporal server, a PostgreSQL and a sandbox bank of its own.')
    .addArgument(new Argument('[names...]', 'which; default: all').choices(Object.keys(BENCHES)))
    .option('--outage <duration>', 'recovery: how long the bank is away', '2m')
    .addOption(new Option('--kills <n>', 'kills: how many').choices(['5', '20', '100', '500']).default('20'))
    .addOption(
      new Option('--finals <n>', 'reconciliation, audit: up to so many')
        .choices(['1000', '10000', '100000'])
        .default('10000'),
    )
    .addOption(
      new Option('--statement-lines <n>', 'statement: up to so many')
        .choices(['10000', '100000', '1000000'])
        .default('10000'),
    )
    .addOption(
      new Option('--transfers <n>', 'journal: so many in the larger books')
        .choices(['200000', '1000000', '5000000', '10000000'])
        .default('1000000'),
    )
    .parse();
  const parsed = parseDuration(command.opts<BenchArguments>().outage);
  if (!parsed.ok) {
    process.stderr.write('--outage: expected a duration such as 60s or 1h\n');
    process.exitCode = 2;
    return;
  }
  const killsCount = Number(command.opts<BenchArguments>().kills);
  const finals = Number(command.opts<BenchArguments>().finals);
  const statementLines = Number(command.opts<BenchArguments>().statementLines);
  const transfers = Number(command.opts<BenchArguments>().transfers);
  const startedMs = Date.now();
  const say = (line: string): void => {
    process.stderr.write(`${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  process.exitCode = 0;
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (command.args.length > 0 && !command.args.includes(name)) continue;
    say(name);
    const isGood = await run((scope) =>
      bench(scope, { outageMs: parsed.ms, kills: killsCount, finals, statementLines, transfers, say }),
    );
    if (!isGood) process.exitCode = 1;
  }
}

async function run(measure: (scope: Scope) => Promise<BenchReport>): Promise<boolean> {
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  try {
    const { title, head, rows, failures } = await measure(scope);
    const table = new Table({ head: [...head], style: { head: [], border: [] } });
    table.push(...rows.map((row) => [...row]));
    process.stdout.write(`${title}\n${table.toString()}\n`);
    for (const failure of failures) process.stdout.write(`WRONG: ${failure}\n`);
    return failures.length === 0;
  } catch (error) {
    if (!scope.ended)
      process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    return false;
  } finally {
    await scope.release();
    letSignalsBe();
  }
}

void main();
