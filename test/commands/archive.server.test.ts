import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive } from '../../src/journal/statements/archives';
import { completedLongAgo } from '../journal/support/long-ago';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { testServers } from '../support/servers';
import { giro as run } from './support/memory-io';

let db: TestJournal;
let folder: string;
beforeEach(async () => {
  db = await openTestJournal();
  folder = await mkdtemp(join(tmpdir(), 'giro-archive-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await db.close();
});

const giro = (...args: readonly string[]) => run(args, { env: { DATABASE_URL: db.url } });
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const path = (name: string): string => join(folder, name);
const exported = (name: string, endedBefore: string) =>
  giro('archive', 'export', path(name), '--ended-before', endedBefore, '--json');
const pruned = (name: string, ...more: readonly string[]) =>
  giro('archive', 'prune', path(name), '--operator', 'ana', '--reason', 'year 2024', ...more);
const answersLeft = async (): Promise<unknown> =>
  (await db.sql('select count(*)::integer as n from giro.answer')).rows[0]?.['n'];

test('a year is exported and pruned; the next export begins where it ended', async () => {
  const first = await completedLongAgo(db, 500);
  const second = await completedLongAgo(db, 400);
  const endedBefore = daysAgo(450);

  const { code, stdout, log } = await exported('a', endedBefore);
  expect(code).toBe(0);
  const sha256 = createHash('sha256')
    .update(await readFile(path('a')))
    .digest('hex');
  const span = { endedFrom: null, endedBefore };
  expect(JSON.parse(stdout)).toEqual({ file: path('a'), ...span, transfers: 1, answers: 2, sha256 });
  expect(log.at(-1)).toMatchObject({ msg: 'reading ended transfers', done: 1, exported: 1 });
  expect(await answersLeft()).toBe(6);

  const prune = await pruned('a');
  expect(prune).toMatchObject({ code: 0, stdout: `2 answers deleted\narchive ${sha256}\n` });
  expect(prune.log.at(-1)).toMatchObject({ msg: 'deleting answers', done: 1, total: 1 });
  expect(await answersLeft()).toBe(4);
  expect((await pruned('a')).stdout).toContain('0 answers deleted, 2 were gone already\n');
  expect(JSON.parse((await pruned('a', '--json')).stdout)).toEqual({
    ...{ file: path('a'), ...span, transfers: 1, answers: 2, sha256, deleted: 0, kept: 0, gone: 2 },
  });
  expect(await db.journal.auditEntries({ action: 'archive prune', limit: 9 })).toHaveLength(3);

  expect(JSON.parse((await exported('b', daysAgo(366))).stdout)).toMatchObject({
    ...{ endedFrom: endedBefore, transfers: 1, answers: 2 },
  });
  expect((await pruned('b')).code).toBe(0);
  const archives = JSON.parse((await giro('archive', 'list', '--json')).stdout) as Archive[];
  expect(archives.map(({ endedFrom, operator }) => [endedFrom, operator])).toEqual([
    [null, 'ana'],
    [endedBefore, 'ana'],
  ]);
  expect((await giro('archive', 'list')).stdout).toContain(sha256);

  for (const originId of [first, second]) {
    const line = (await readFile(path(originId === first ? 'a' : 'b'), 'utf8')).split('\n')[1] ?? '';
    expect((JSON.parse(line) as { originId: number }).originId).toBe(originId);
  }
  expect(await giro('audit', 'verify')).toMatchObject({
    ...{ code: 0, stdout: expect.stringMatching(/^OK: 2 transfers/) as string },
  });
});

test('transfer show names the archive in place of what it holds', async () => {
  const originId = await completedLongAgo(db);
  const show = async (...more: readonly string[]): Promise<string> => {
    const env = { DATABASE_URL: db.url, TEMPORAL_ADDRESS: testServers().temporalAddress };
    return (await run(['transfer', 'show', String(originId), ...more], { env })).stdout;
  };
  expect(await show()).toMatch(/^request 1 .* answered$/m);
  const { sha256 } = JSON.parse((await exported('a', daysAgo(366))).stdout) as Archive;
  await pruned('a');
  expect(await show()).toMatch(/^request 1 .* archived or lost$/m);
  expect(await show()).toContain(
    `answers before the last one may be in the archive with SHA-256 ${sha256}\n`,
  );
  expect(JSON.parse(await show('--json'))).toMatchObject({
    ...{ status: 'COMPLETED', bankStatus: 'COMPLETED', archiveSha256: sha256, needsAttention: false },
  });
});

test('without --json: what to do next', async () => {
  await completedLongAgo(db);
  const { stdout } = await giro('archive', 'export', path('a'), '--ended-before', daysAgo(366));
  expect(stdout).toMatch(/^2 answers of 1 transfers\n[0-9a-f]{64} {2}.*\n\nnothing is deleted yet: /);
  expect((await giro('archive', 'list')).stdout).toBe('no archives\n');
});

test('a journal without old answers: a file without answers, which cannot be pruned', async () => {
  const { code, stdout } = await giro('archive', 'export', path('a'), '--ended-before', daysAgo(366));
  expect(code).toBe(0);
  expect(stdout).toContain('nothing to prune\n');
  expect(await pruned('a')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('holds no answers') as string },
  });
});

test('what is wrong is named, exits with 2, and nothing is deleted', async () => {
  await completedLongAgo(db);
  const says = (stderr: string) => ({ code: 2, stderr: expect.stringContaining(stderr) as string });
  expect(await exported('a', daysAgo(364))).toMatchObject(
    says('--ended-before: answers are kept for 365 days'),
  );
  expect((await exported('a', 'last year')).code).toBe(2);
  expect(await pruned('a')).toMatchObject(says(`the file ${path('a')} does not exist`));
  expect(await exported('none/a', daysAgo(366))).toMatchObject(says('does not exist'));

  await exported('a', daysAgo(366));
  expect(await exported('a', daysAgo(366))).toMatchObject(says('exists: choose another name'));
  const text = await readFile(path('a'), 'utf8');
  await writeFile(path('cut'), text.slice(0, -10));
  expect(await pruned('cut')).toMatchObject(says(`the file ${path('cut')}: line 3: no JSON`));
  await writeFile(path('young'), text.replace(/"endedBefore":"[^"]*"/, `"endedBefore":"${daysAgo(100)}"`));
  expect(await pruned('young')).toMatchObject(says('answers are kept for 365 days'));
  expect(await answersLeft()).toBe(3);
  expect((await giro('archive', 'list')).stdout).toBe('no archives\n');

  await writeFile(path('other'), text.replace('IN_PROGRESS', 'CREATED'));
  expect(await pruned('other')).toMatchObject(says('is not from this journal, or was changed: transfer '));
  await pruned('a');
  expect(await exported('b', daysAgo(500))).toMatchObject(says('--ended-before must be after'));
});

test('an export that was never pruned is exported again, and a span may be chosen', async () => {
  await completedLongAgo(db, 500);
  await completedLongAgo(db, 400);
  await exported('a', daysAgo(450));
  expect(JSON.parse((await exported('b', daysAgo(366))).stdout)).toMatchObject({
    endedFrom: null,
    transfers: 2,
  });
  await pruned('b');
  const endedSince = daysAgo(600);
  const again = await giro(
    ...[
      'archive',
      'export',
      path('c'),
      '--ended-since',
      endedSince,
      '--ended-before',
      daysAgo(366),
      '--json',
    ],
  );
  expect(JSON.parse(again.stdout)).toMatchObject({ endedFrom: endedSince, transfers: 0 });
  expect((await pruned('a')).stdout).toContain('0 answers deleted, 2 were gone already\n');
});

test('a transfer that is questioned after the export keeps its answers, the others go', async () => {
  const originId = await completedLongAgo(db, 400);
  await completedLongAgo(db, 399);
  await exported('a', daysAgo(366));
  await db.journal.recordFlags(originId, ['OPEN_TOO_LONG']);
  const { code, stdout } = await pruned('a');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^2 answers deleted\n2 kept: something was recorded about /) as string,
  });
});

test('an archive of another journal, or of another span, is refused and not recorded', async () => {
  const other = await openTestJournal();
  try {
    await completedLongAgo(other, 400);
    await run(['archive', 'export', path('other'), '--ended-before', daysAgo(366)], {
      env: { DATABASE_URL: other.url },
    });
  } finally {
    await other.close();
  }
  await completedLongAgo(db, 400);
  await exported('a', daysAgo(366));
  const text = await readFile(path('a'), 'utf8');
  await writeFile(path('narrow'), text.replace(/"endedBefore":"[^"]*"/, `"endedBefore":"${daysAgo(401)}"`));
  for (const name of ['other', 'narrow'])
    expect(await pruned(name)).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('is not from this journal, or was changed') as string },
    });
  expect((await giro('archive', 'list')).stdout).toBe('no archives\n');
  expect(await answersLeft()).toBe(3);
});

test("a login that is not the journal's owner prunes nothing", async () => {
  await completedLongAgo(db);
  await exported('a', daysAgo(366));
  const name = `clerk_${process.pid}`;
  await db.sql(`create role ${name} login password 'made up' in role giro_operator`);
  try {
    const url = new URL(db.url);
    url.username = name;
    url.password = 'made up';
    const { code, stderr } = await run(['archive', 'prune', path('a'), '--reason', 'x'], {
      env: { DATABASE_URL: url.href },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("needs its owner's") as string,
    });
    expect(await answersLeft()).toBe(3);
  } finally {
    await db.sql(`drop role ${name}`);
  }
});
