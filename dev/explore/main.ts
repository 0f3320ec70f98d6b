import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { FAILOVER_EVENTS, LOST_RUNS_MAX } from './endings';
import { ALPHABET } from './events';
import { FORGOTTEN, LOST_BY_FAILOVER } from './rebuilt';
import { searchInThreads } from './threads';

const BOUNDS = [
  `${LOST_RUNS_MAX} lost runs, one look-up that another worker or a reconciliation makes, or that is recorded late, one failover`,
  `a failover keeps any part of what one event wrote, and counts as ${FAILOVER_EVENTS} events`,
  'an end is the last event, and so is the loss of a run after a failover',
];

/** `npm run explore`: if a rule is broken, prints the shortest trace that breaks it and exits 1. */
async function main(): Promise<void> {
  const command = new Command('npm run explore --')
    .description(
      'Searches every state that a transfer can reach in N events, and checks each against the rules of a transfer.',
    )
    .option('--depth <n>', 'events in a trace', (text: string) => Number.parseInt(text, 10), 5)
    .option('--threads <n>', 'threads', (text: string) => Number.parseInt(text, 10), availableParallelism())
    .option(
      '--alphabet',
      'print the events, and what the run that replaces a lost run does not know, by design',
    )
    .parse();
  const { depth, threads, alphabet } = command.opts<{ depth: number; threads: number; alphabet?: true }>();
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (alphabet === true) {
    for (const { name } of ALPHABET) print(name);
    print('\nlimits of a trace:');
    BOUNDS.forEach(print);
    print('\nlost with a run:');
    for (const [what, why] of Object.entries(FORGOTTEN)) print(`${what}: ${why}`);
    print('\nlost with a row of the journal, in a failover:');
    for (const [what, why] of Object.entries(LOST_BY_FAILOVER)) print(`${what}: ${why}`);
    return;
  }
  if (!Number.isInteger(depth) || depth < 1)
    command.error('--depth must be a whole number from 1', { exitCode: 2 });
  if (!Number.isInteger(threads) || threads < 1)
    command.error('--threads must be a whole number from 1', { exitCode: 2 });
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
  print(`alphabet: ${ALPHABET.length} events; depth: ${depth}; threads: ${threads}`);
  BOUNDS.forEach(print);
  let saidAt = 0;
  const { violation, states, tried } = await searchInThreads({
    ...{ depth, threads },
    onLevel: (level) =>
      print(`depth ${level.depth}: ${level.states} states, ${level.tried} steps tried, ${seconds()} s`),
    onPart: (share) => {
      if (seconds() < saidAt + 60) return;
      saidAt = seconds();
      print(`  ${(share * 100).toFixed(0)} % of the next depth, ${saidAt} s`);
    },
  });
  if (violation === null) {
    print(`no rule is broken in ${states} states (${tried} steps, ${seconds()} s)`);
    return;
  }
  print(`BROKEN: ${violation.rule}`);
  for (const [index, line] of violation.trace.entries()) print(`${index}. ${line}`);
  process.exitCode = 1;
}

void main();
