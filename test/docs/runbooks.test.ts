import { ATTENTION_REASONS } from '../../src/domain/transfer/flags';
import { CONTRADICTIONS } from '../../src/domain/post-final';
import { giro } from '../commands/support/memory-io';
import { commandsOf, pages, partsOf, textOf } from './runbook-commands';

const commands = commandsOf(/^(?:npm run -s giro -- |giro )(.*)$/);

test('there are pages with commands', () => {
  expect(commands.length).toBeGreaterThan(20);
});

test.each(commands)('%s: giro %s is a command with these options', async (_, line) => {
  const { named, options } = partsOf(line);
  const { code, stdout: help } = await giro([...named.slice(0, 2), '--help']);
  expect(code).toBe(0);
  for (const word of named.slice(0, 2)) expect(help.split('\n')[0]).toContain(word);
  for (const option of options) expect(help).toContain(option);
});

test('the index names every page and every flag', () => {
  const index = textOf('README.md');
  for (const page of pages().filter((one) => one !== 'README.md')) expect(index).toContain(`](${page}`);
  for (const reason of ATTENTION_REASONS) expect(index).toContain(`\`${reason}\``);
});

test('every flag and every late fact has its section or line', () => {
  for (const reason of ATTENTION_REASONS)
    expect(textOf('flagged-transfer.md')).toContain(`\n### ${reason}\n`);
  for (const fact of Object.keys(CONTRADICTIONS))
    expect(textOf('contradicted-final.md')).toContain(`| \`${fact}\``);
});

test.each(pages())('%s: its links lead to pages and headings that are there', (page) => {
  for (const [, target = ''] of textOf(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    const [file = '', anchor] = target.split('#');
    const text = textOf(file === '' ? page : file);
    if (anchor === undefined) continue;
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    );
    expect(anchors).toContain(anchor);
  }
});
