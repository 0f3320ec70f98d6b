import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { readEnv } from '../../src/config/env';
import { loadSettings } from '../../src/config/settings';
import { SECTIONS } from '../../src/config/variable';
import { VARIABLES } from '../../src/config/variables';

const ROOT = join(__dirname, '../..');
const reference = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
const example = readFileSync(join(ROOT, '.env.example'), 'utf8');

/** Section → rows of its table, cells unescaped and trimmed. */
function tables(markdown: string): Map<string, string[][]> {
  const found = new Map<string, string[][]>();
  let section = '';
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('| `')) continue;
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const row = cells.map((cell) => cell.trim().replace(/\\\|/g, '|'));
    found.set(section, [...(found.get(section) ?? []), row]);
  }
  return found;
}

test.each(SECTIONS)('docs/configuration.md, "%s", says what the table of variables says', (section) => {
  const expected = VARIABLES.filter((variable) => variable.section === section).map((variable) => {
    const { name, default: value, allowed, meaning } = variable;
    return [`\`${name}\``, value === null ? 'none' : `\`${value}\``, allowed, meaning];
  });
  expect(expected.length).toBeGreaterThan(0);
  expect(tables(reference).get(section)).toEqual(expected);
});

test('.env.example names every variable in use once, with its default', () => {
  const lines = [...example.matchAll(/^(# )?([A-Z][A-Z_]+)=(.*)$/gm)];
  const names = lines.map(([, , name]) => name);
  expect(names).toEqual(VARIABLES.map(({ name }) => name));
  const defaults = new Map(VARIABLES.map((variable) => [variable.name, variable.default ?? '']));
  for (const [, remark, name, value] of lines) {
    if (remark === undefined) continue;
    expect([name, value]).toEqual([name, defaults.get(name ?? '')]);
  }
});

test('.env.example explains each variable in its own words', () => {
  for (const { meaning, allowed } of VARIABLES) {
    expect(example).toContain(`# ${meaning}; allowed: ${allowed}\n`);
  }
});

test('.env.example is a valid configuration without warnings', () => {
  const { warnings } = loadSettings(readEnv(parse(example)), [
    'logging',
    'temporal',
    'journal',
    'bank',
    'orderLimits',
    'transferSettings',
    'verifications',
    'worker',
    'recovery',
    'reconciliation',
  ]);
  expect(warnings).toEqual([]);
});

test('the example of an error in docs/configuration.md is what one gets', () => {
  const [block] = /```\n(configuration:[\s\S]*?)\n```/.exec(reference)?.slice(1) ?? [];
  const env = { BANK_BASE_URL: 'https://bank.example', POLL_ACTIVE: '3s' };
  expect(() => loadSettings(env, ['transferSettings', 'bank'])).toThrow(
    expect.objectContaining({ message: block }) as Error,
  );
});
