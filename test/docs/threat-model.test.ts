import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';

const page = readFileSync(join(packageRoot, 'docs', 'threat-model.md'), 'utf8');

/** Rows of the tables that say what shows them. */
const rows = page
  .split(/\n(?!\|)/)
  .map((part) => part.split('\n').filter((line) => line.startsWith('|')))
  .filter(([head = '']) => /\| shown by +\|$/.test(head))
  .flatMap(([, , ...lines]) => lines)
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('every row names the test that shows it, or says that there is none', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const cells of rows) expect(cells.at(-2)).toMatch(/`test\/|^the same$|^as above$|^no test/);
});

test('the tests that it names are there', () => {
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
});
