import type { Command, Option } from 'commander';
import { processIo } from '../../src/program/io';
import { giroProgram } from '../../src/starter';
import { documentedCommands, listedCommands, readingsOf } from './documented-commands';
import { allPages } from './pages';

const listed = listedCommands('docs/commands.md');
const lines = allPages().flatMap((page) =>
  [...new Set([...documentedCommands(page), ...(page === 'docs/commands.md' ? listed : [])])].map(
    (line) => [page, line] as const,
  ),
);
const program = giroProgram({ io: processIo(), end: () => undefined });

/** The command that the first words name, and the words behind them. */
function commandOf(words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command = program;
  let rest = words;
  for (;;) {
    const next = command.commands.find((one) => one.name() === rest[0]);
    if (next === undefined) return { command, rest };
    command = next;
    rest = rest.slice(1);
  }
}

const nameOf = (command: Command): string =>
  command.parent === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim();

/** The part of a line that the program would refuse; null: none. */
function problemOf(line: string): string | null {
  return readingsOf(line).reduce<string | null>((problem, words) => problem ?? problemOfWords(words), null);
}

function problemOfWords(words: readonly string[]): string | null {
  const { command, rest } = commandOf(words);
  if (rest.includes('--help')) return null;
  if (command === program && rest[0] === '--version') return null;
  if (command === program || (command.commands.length > 0 && rest.length > 0)) {
    return `no command: ${rest[0] ?? ''}`;
  }
  const { operands, problem } = readOptions(command, rest);
  if (problem !== null) return problem;
  const { registeredArguments: expected } = command;
  const most = expected.some(({ variadic }) => variadic) ? Infinity : expected.length;
  if (operands.length > most) return `too many arguments: ${operands.slice(most).join(' ')}`;
  // Its bare name in a sentence is a mention.
  if (rest.length === 0) return null;
  return missingOf(command, operands, rest);
}

const isNamed = ({ long, short }: Option, word: string): boolean => word === long || word === short;

function readOptions(
  command: Command,
  words: readonly string[],
): { operands: string[]; problem: string | null } {
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [word = '', value] = (words[at] ?? '').split('=', 2);
    if (!/^--?[a-zA-Z]/.test(word)) {
      operands.push(word);
      continue;
    }
    const option = command.options.find((one) => isNamed(one, word));
    if (option === undefined) return { operands, problem: `no option: ${word}` };
    if (option.required && value === undefined) {
      at += 1;
      if (words[at] === undefined) return { operands, problem: `${word} needs a value` };
    }
  }
  return { operands, problem: null };
}

function missingOf(command: Command, operands: readonly string[], words: readonly string[]): string | null {
  const argument = command.registeredArguments.filter(({ required }) => required)[operands.length];
  if (argument !== undefined) return `${argument.name()} is missing`;
  const absent = command.options.filter(
    (option) => option.mandatory && !words.some((word) => isNamed(option, word.split('=')[0] ?? '')),
  );
  return absent.length === 0 ? null : `${absent.map(({ long }) => long ?? '').join(', ')} is missing`;
}

test('there are pages with commands', () => {
  expect(lines.length).toBeGreaterThan(60);
});

test.each(lines)('%s: giro %s', (_, line) => {
  expect(problemOf(line)).toBeNull();
});

test('the list of commands has every command', () => {
  const named = listed.flatMap((line) => readingsOf(line)).map((words) => nameOf(commandOf(words).command));
  const all = program.commands.flatMap((one) => (one.commands.length === 0 ? [one] : one.commands));
  expect(all.map(nameOf).filter((name) => !named.includes(name))).toEqual([]);
});

test.each([
  ['transfer begin order.json', 'no command: begin'],
  ['doctor --jsn', 'no option: --jsn'],
  ['transfer decide 1001 --action', '--action needs a value'],
  ['transfer decide 1001 --action resume --operator ana', '--reason is missing'],
  ['transfer show --json', 'origin-id is missing'],
  ['transfer show 1001 1002', 'too many arguments: 1002'],
  ['sending stop|halt --reason R', 'no command: halt'],
])('giro %s would be told: %s', (line, problem) => {
  expect(problemOf(line)).toBe(problem);
});
