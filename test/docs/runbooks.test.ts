import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { giro } from '../commands/support/memory-io';

const FOLDER = path.join(__dirname, '../../docs/runbooks');

/** `giro …` lines of the pages' shell blocks, with what a line's backslash joins. */
const commands = readdirSync(FOLDER).flatMap((page) => {
  const text = readFileSync(path.join(FOLDER, page), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  return blocks
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => /^(?:npm run -s giro -- |giro )(.*)$/.exec(line.replace(/\s+#.*$/, ''))?.[1])
    .filter((line) => line !== undefined)
    .map((line) => [page, line] as const);
});

test('there are pages with commands', () => {
  expect(commands.length).toBeGreaterThan(5);
});

test.each(commands)('%s: giro %s is a command with these options', async (_, line) => {
  const words = line.trim().split(/\s+/);
  const named = words.slice(0, 2).filter((word) => /^[a-z][a-z-]*$/.test(word));
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? word);
  const { code, stdout: help } = await giro([...named, '--help']);
  expect(code).toBe(0);
  for (const word of named) expect(help.split('\n')[0]).toContain(word);
  for (const option of options) expect(help).toContain(option);
});
