import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { PAGE, withTrials } from '../../dev/versions-check/page';
import { VERSIONS } from '../../dev/versions-check/trials';

const page = readFileSync(join(packageRoot, PAGE), 'utf8');
const trial = { part: 'Node', major: 20, version: '20.99.0', failure: null } as const;

test('the page names each supported version once, with the release that was tried', () => {
  const rows = [...page.matchAll(/^\| (Node|PostgreSQL) (\d+) +\| (\d+)\.[\d.]+ /gm)];
  const supported = Object.entries(VERSIONS).flatMap(([part, majors]) => majors.map((it) => `${part} ${it}`));
  expect(rows.map(([, part, major]) => `${part} ${major}`)).toEqual(supported);
  for (const [, , major, tried] of rows) expect(tried).toBe(major);
});

test('a new trial takes the place of the one before, and leaves the others', () => {
  const written = withTrials(page, [trial], '2026-01-01');
  expect(written).toMatch(/^\| Node 20 +\| 20\.99\.0 .*\| 2026-01-01 /m);
  expect(written.match(/^\| Node 20 /gm)).toHaveLength(1);
  expect(withTrials(written, [trial], '2026-01-01')).toBe(written);
  expect(written.match(/^\| PostgreSQL \d+ /gm)).toHaveLength(VERSIONS.PostgreSQL.length);
});

test('what package.json demands of Node.js is what the page says', () => {
  const { engines } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toBe('>=20.19.0');
  expect(page).toContain('20 (from 20.19), 22 and 24');
});
