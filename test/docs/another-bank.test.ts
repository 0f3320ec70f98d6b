import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { ourBank } from '../../src/bank/our-bank';
import { parseJson } from '../../src/bank/http/json';
import { loadSettings } from '../../src/config/settings';
import { createContext } from '../../src/context';
import { ECHO_FIELDS, compareEcho } from '../../src/domain/echo';
import { MOVEMENT_TEXT, ORDER } from '../bank/fixtures';
import { movementWith, movementWithout } from '../bank/movement-changes';
import { otherBank } from '../bank/other-bank/dialect/other-bank';
import { textOfPage } from './pages';

const PAGE = 'docs/another-bank.md';
const RECIPES = 'docs/runbooks/changing-giro.md';
const inRoot = (file: string) => path.join(packageRoot, file);

/** From its heading to the next one of the same depth. */
function section(page: string, heading: string): string {
  const [, text] = textOfPage(page).split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`${page} has no section ${heading}`);
  return text.split('\n## ')[0] ?? '';
}

/** Code in the first column of the section's table. */
const firstColumn = (text: string): string[] =>
  [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell);

describe('a dialect', () => {
  const files = firstColumn(section(PAGE, 'What to write'));

  test.each([
    ['src/bank/apibank', 'apibank'],
    ['test/bank/other-bank/dialect', 'other-bank'],
  ])('%s has each file that the page names, and no service besides', (folder, name) => {
    expect(files).toHaveLength(4);
    for (const file of files) {
      const own = path.join(folder, file.replace('NAME', name));
      expect(`${own}: ${existsSync(inRoot(own))}`).toBe(`${own}: true`);
    }
    const services = readdirSync(inRoot(folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    const named = files.filter((file) => file.includes('/')).map((file) => path.dirname(file));
    expect(services.sort()).toEqual(named.sort());
  });

  test('that the composition root is given is the one that is spoken', async () => {
    const env = { BANK_BASE_URL: 'http://127.0.0.1:1', BANK_TOKEN: 'none' };
    const { config, secrets } = loadSettings(env, ['bank']);
    for (const [dialect, overrides] of [
      [ourBank, {}],
      [otherBank, { dialect: otherBank }],
    ] as const) {
      const context = await createContext(config, secrets, overrides);
      expect(context.bank.createBody(ORDER)).toBe(dialect.movements.createBody(ORDER));
      await context.close();
    }
    expect(otherBank.movements.createBody(ORDER)).not.toBe(ourBank.movements.createBody(ORDER));
  });
});

test.each([
  [PAGE, null],
  [RECIPES, 'Another bank'],
  [RECIPES, 'A bank service with its activity'],
])('%s, %s: each path that is named is there', (page, heading) => {
  const text = heading === null ? textOfPage(page) : section(page, heading);
  const paths = [...text.matchAll(/`((?:src|test|dev)\/[^`\s]+)`/g)].map(([, found = '']) => found);
  expect(paths.length).toBeGreaterThan(0);
  // What is to be written is not there yet; a service of its kind is.
  const present = paths
    .filter((found) => !found.includes('NAME'))
    .map((found) =>
      found.replace('SERVICE/SERVICE', 'verifications/verification').replace('SERVICE', 'webhooks'),
    );
  expect(present.filter((found) => !existsSync(inRoot(found)))).toEqual([]);
});

describe('the fields of an echo, as the runbook places them in the bank’s answer', () => {
  const rows = [
    ...textOfPage('docs/runbooks/flagged-transfer.md').matchAll(/^\| `([\w.]+)` +\| `([\w.]+)` +\|$/gm),
  ];
  const places = new Map(rows.map(([, field = '', place = '']) => [field, place]));

  test('are all of them', () => {
    expect([...places.keys()].sort()).toEqual([...ECHO_FIELDS].sort());
  });

  test.each([...places])('%s is read at %s', (field, place) => {
    const changed =
      field === 'details'
        ? movementWithout(MOVEMENT_TEXT, place)
        : movementWith(MOVEMENT_TEXT, place, field.endsWith('address') ? '0'.repeat(22) : '77');
    const json = parseJson(changed);
    const movement = json.ok ? ourBank.movements.readMovement(json.value) : null;
    expect(movement && compareEcho(ORDER, movement).fields).toEqual([field]);
  });
});
