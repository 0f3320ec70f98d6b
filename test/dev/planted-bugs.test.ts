import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { PLANTED_BUGS } from '../../dev/planted-bugs/bugs';
import { edited } from '../../dev/planted-bugs/copy';
import { REPORT, withTable } from '../../dev/planted-bugs/report';

const textOf = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const tests = readdirSync(join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.test.ts'));

test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))('%s: can still be planted', (_, bug) => {
  const texts = new Map<string, string>();
  for (const edit of bug.edits) {
    expect(existsSync(join(packageRoot, edit.file))).toBe(true);
    texts.set(edit.file, edited(texts.get(edit.file) ?? textOf(edit.file), edit));
  }
  for (const [file, text] of texts) expect(text).not.toBe(textOf(file));
  const patterns = [...(bug.unit ?? []), ...(bug.servers ?? [])];
  expect(patterns).not.toEqual([]);
  for (const pattern of patterns) expect(tests.filter((file) => file.includes(pattern))).not.toEqual([]);
});

test('the page has each planted bug, in their order, and none that went unnoticed', () => {
  const rows = [...textOf(REPORT).matchAll(/^\| ([^|]+?) +\| (`test|\*\*not)/gm)];
  expect(rows.map(([, name]) => name)).toEqual(PLANTED_BUGS.map(({ name }) => name));
  expect(rows.filter(([, , by]) => by !== '`test')).toEqual([]);
});

test('a new row takes the place of the one before, and leaves the others', () => {
  const page = textOf(REPORT);
  const [first = { name: '' }, second = { name: '' }] = PLANTED_BUGS;
  const caught = { name: first.name, by: { file: 'test/a.test.ts', test: 'a | b' }, seconds: 3 };
  const written = withTable(page, [caught]);
  expect(written).toContain(`| ${first.name} | \`test/a.test.ts\`: a \\| b | 3 s |`);
  expect(withTable(written, [caught])).toBe(written);
  expect(written.split(`| ${first.name} `)).toHaveLength(2);
  expect(written.includes(`| ${second.name} `)).toBe(page.includes(`| ${second.name} `));
});

test.each(['none', 'twice twice'])('text that is not there once is refused: %s', (text) => {
  expect(() => edited(text, { file: 'a.ts', from: 'twice', to: 'x' })).toThrow('has not exactly one "twice"');
});
