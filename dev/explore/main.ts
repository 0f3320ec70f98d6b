import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { ALPHABET } from './events';
import { FORGOTTEN } from './rebuilt';
import { searchInThreads } from './threads';

/** `npm run explore`: ends with 1 when a rule is broken, and prints the shortest story that breaks it. */
async function main(): Promise<void> {
  const command = new Command('npm run explore --')
    .description(
      'Walks through every state that so many events can bring a transfer into, and judges each by the rules of a transfer.',
    )
    .option('--depth <n>', 'events in a story', (text: string) => Number.parseInt(text, 10), 5)
    .option('--threads <n>', 'threads', (text: string) => Number.parseInt(text, 10), availableParallelism())
    .option('--alphabet', 'print the events, and what a run after a lost one forgets by design')
    .parse();
  const { depth, threads, alphabet } = command.opts<{ depth: number; threads: number; alphabet?: true }>();
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (alphabet === true) {
    for (const { name } of ALPHABET) print(name);
    print('\nforgotten with a lost run:');
    for (const [what, why] of Object.entries(FORGOTTEN)) print(`${what}: ${why}`);
    return;
  }
  if (!Number.isInteger(depth) || depth < 1)
    command.error('--depth must be a whole number from 1', { exitCode: 2 });
  if (!Number.isInteger(threads) || threads < 1)
    command.error('--threads must be a whole number from 1', { exitCode: 2 });
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
  print(`alphabet: ${ALPHABET.length} events; depth: ${depth}; threads: ${threads}`);
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
  for (const [index, line] of violation.story.entries()) print(`${index}. ${line}`);
  process.exitCode = 1;
}

void main();
