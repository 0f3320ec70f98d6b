import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { textOfPage } from './pages';

const FILE_TYPES = /\.(?:ts|mjs|cjs|js|sql|md|ya?ml|json|sh)$/;

/** Code that names a folder or file. Routes begin with a slash, and identifiers have none. */
const isPath = (code: string): boolean => /^[\w.@-]+\/\S+$/.test(code) || FILE_TYPES.test(code);
const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code).filter(isPath);

/** `*` stands for a part of the last name. */
function exists(named: string): boolean {
  const { dir, base } = path.parse(path.join(packageRoot, named));
  if (!base.includes('*')) return existsSync(path.join(dir, base));
  const parts = base.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  const name = new RegExp(`^${parts.join('.*')}$`);
  return existsSync(dir) && readdirSync(dir).some((entry) => name.test(entry));
}
const missingIn = (text: string): string[] => pathsOf(text).filter((named) => !exists(named));

const page = textOfPage('docs/guarantees.md');

test('every path on the page exists, from the root of the repository', () => {
  expect(pathsOf(page).length).toBeGreaterThan(150);
  expect(missingIn(page)).toEqual([]);
});

test('a wrong path, and a name without its folder, are found', () => {
  const wrong = [
    'src/nothing',
    'src/domain/nothing.ts',
    'facts.ts',
    '0003-guards.sql',
    'test/e2e/nothing*.ts',
  ];
  const right = ['src/domain/money.ts', 'test/e2e', 'test/e2e/reconciliation*.server.test.ts', '/readyz'];
  expect(missingIn([...wrong, ...right].map((named) => `| \`${named}\` |`).join('\n'))).toEqual(wrong);
});

test('every function of the database on the page is in the migrations', () => {
  const folder = path.join(packageRoot, 'src/journal/migrations');
  const sql = readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
  const named = [...page.matchAll(/`(?:giro\.)?((?:guard|has|is)_[a-z_]+|create_refusal)`/g)];
  expect(named.length).toBeGreaterThan(10);
  for (const [, name = ''] of named) expect(sql).toContain(`function giro.${name}(`);
});
