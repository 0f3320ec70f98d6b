import Table from 'cli-table3';
import { Command } from 'commander';
import { Scope } from '../dev/scope';
import { releaseOnSignals } from '../dev/signals';
import { parseDuration } from '../src/config/duration';
import { recovery } from './recovery';

/** `npm run bench`: measures on servers of its own, prints a table for each, ends with 1 when a ratio is broken. */
async function main(): Promise<void> {
  const { outage } = new Command('npm run bench --')
    .description('Measures Giro between a Temporal server, a PostgreSQL and a sandbox bank of its own.')
    .option('--outage <duration>', 'how long the bank is away', '2m')
    .parse()
    .opts<{ readonly outage: string }>();
  const parsed = parseDuration(outage);
  if (!parsed.ok) {
    process.stderr.write('--outage: expected a duration such as 60s or 1h\n');
    process.exitCode = 2;
    return;
  }
  const startedMs = Date.now();
  const say = (line: string): void => {
    process.stderr.write(`${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  try {
    const { title, head, rows, failures } = await recovery(scope, { outageMs: parsed.ms, say });
    const table = new Table({ head: [...head], style: { head: [], border: [] } });
    table.push(...rows.map((row) => [...row]));
    process.stdout.write(`${title}\n${table.toString()}\n`);
    for (const failure of failures) process.stdout.write(`WRONG: ${failure}\n`);
    process.exitCode = failures.length === 0 ? 0 : 1;
  } catch (error) {
    if (!scope.ended)
      process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await scope.release();
    letSignalsBe();
  }
}

void main();
