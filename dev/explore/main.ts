import { Command } from 'commander';
import { ALPHABET } from './events';
import { FORGOTTEN } from './invariants';
import { search } from './search';

/** `npm run explore`: ends with 1 when a rule is broken, and prints the shortest story that breaks it. */
function main(): void {
  const command = new Command('npm run explore --')
    .description(
      'Walks through every state that so many events can bring a transfer into, and judges each by the rules of a transfer.',
    )
    .option('--depth <n>', 'events in a story', (text: string) => Number.parseInt(text, 10), 5)
    .option('--alphabet', 'print the events, and what a run after a lost one forgets by design')
    .parse();
  const { depth, alphabet } = command.opts<{ depth: number; alphabet?: true }>();
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (alphabet === true) {
    for (const { name } of ALPHABET) print(name);
    print('\nforgotten with a lost run:');
    for (const [what, why] of Object.entries(FORGOTTEN)) print(`${what}: ${why}`);
    return;
  }
  if (!Number.isInteger(depth) || depth < 1)
    command.error('--depth must be a whole number from 1', { exitCode: 2 });
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(0);
  print(`alphabet: ${ALPHABET.length} events; depth: ${depth}`);
  const { violation, states, tried } = search({
    depth,
    onDepth: (level, known, steps) =>
      print(`depth ${level}: ${known} states, ${steps} steps tried, ${seconds()} s`),
  });
  if (violation === null) {
    print(`no rule is broken in ${states} states (${tried} steps, ${seconds()} s)`);
    return;
  }
  print(`BROKEN: ${violation.rule}`);
  for (const [index, line] of violation.story.entries()) print(`${index}. ${line}`);
  process.exitCode = 1;
}

main();
