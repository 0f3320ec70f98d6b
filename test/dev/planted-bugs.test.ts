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

test('the page tells of each, and of no other', () => {
  const rows = [...textOf(REPORT).matchAll(/^\| ([^|]+) \| (?:`test|\*\*not)/gm)].map(([, name]) =>
    name?.trim(),
  );
  expect(rows).toEqual(PLANTED_BUGS.map(({ name }) => name));
});

test('a table takes the place of the one before', () => {
  const caught = { name: 'a bug', by: { file: 'test/a.test.ts', test: 'a | b' }, seconds: 3 };
  const page = withTable(textOf(REPORT), [caught]);
  expect(page).toContain('| a bug | `test/a.test.ts`: a \\| b | 3 s |');
  expect(withTable(page, [caught])).toBe(page);
  expect(page).not.toContain(PLANTED_BUGS[0]?.name);
});

test.each(['none', 'twice twice'])('text that is not there once is refused: %s', (text) => {
  expect(() => edited(text, { file: 'a.ts', from: 'twice', to: 'x' })).toThrow('has not exactly one "twice"');
});
