import { Client, Connection } from '@temporalio/client';
import { GiroClient, openReferenceJournal } from '../../src/client';
import type { GiroEvent } from '../../src/client';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { answered, aResult, ask, openNew } from '../journal/support/transfers';
import { giro as run } from './support/memory-io';

let db: TestJournal;
const flagged: number[] = [];
beforeAll(async () => {
  db = await openTestJournal();
  for (let turn = 1; turn <= 3; turn += 1) {
    const originId = await openNew(db.journal);
    await db.journal.recordFlags(originId, ['OUTCOME_UNKNOWN']);
    flagged.push(originId);
  }
  const failed = await openNew(db.journal);
  await ask(db.journal, failed, 1, answered('FAILED'));
  await db.journal.recordAnnulment({ result: aResult(failed, 'FAILED'), evidenceNumber: 1, operators: [] });
});
afterAll(() => db.close());

const giro = (line: string, stop?: AbortSignal) =>
  run(line.split(' '), { env: { DATABASE_URL: db.url }, ...(stop === undefined ? {} : { stop }) });

async function inJson(line: string): Promise<GiroEvent[]> {
  const { code, stdout } = await giro(`${line} --json`);
  expect(code).toBe(0);
  return JSON.parse(stdout) as GiroEvent[];
}

test('a page, the page after it, and the empty one at the end', async () => {
  const first = await inJson('events --limit 2');
  expect(first).toMatchObject([
    { kind: 'flags', originId: flagged[0], raised: ['OUTCOME_UNKNOWN'] },
    { kind: 'flags', originId: flagged[1] },
  ]);
  const rest = await inJson(`events --after ${first[1]?.cursor}`);
  expect(rest.map(({ kind }) => kind)).toEqual(['flags', 'annulment', 'final']);
  expect(await inJson(`events --after ${rest[2]?.cursor}`)).toEqual([]);
  expect((await giro(`events --after ${rest[2]?.cursor}`)).stdout).toBe('no events\n');
});

test('for people: a table that carries the cursors', async () => {
  const { stdout } = await giro('events');
  expect(stdout).toMatch(/^AT +KIND +ORIGIN ID +WHAT +CURSOR\n/);
  expect(stdout).toMatch(/ final +\d+ +FAILED +e1-/);
  expect(stdout).toContain('+OUTCOME_UNKNOWN');
});

test('--follow: one object a line, what is there and what comes, until it is stopped', async () => {
  const stop = new AbortController();
  const following = giro('events --follow', stop.signal);
  const all = await inJson('events');
  const originId = await openNew(db.journal);
  await db.journal.recordFlags(originId, ['VANISHED']);
  const counted = giro(`events --follow --limit ${all.length + 1}`, new AbortController().signal);
  const lines = (await counted).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as GiroEvent)).toEqual(await inJson('events'));
  stop.abort();
  const { code, stderr, log } = await following;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(log.map(({ msg }) => msg)).toEqual(['ready']);
});

test.each([
  ['a text that is no cursor', 'events --after 17', 'not a cursor'],
  ['a cursor of another journal', 'events --after e1-1-0123456789abcdef', 'another journal'],
  ['the same when following', 'events --follow --after e1-1-0123456789abcdef', 'another journal'],
])('%s: exit 2', async (_, line, said) => {
  expect(await giro(line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
});

test('a journal that cannot be reached: exit 4', async () => {
  for (const line of ['events', 'events --follow']) expect((await run(line.split(' '))).code).toBe(4);
});

test('the same by GiroClient', async () => {
  const journal = openReferenceJournal(db.url);
  const client = new Client({ connection: Connection.lazy() });
  try {
    const giroClient = new GiroClient({ client, journal });
    const all = await giroClient.events();
    expect(all).toEqual(await inJson('events'));
    const [, second] = all;
    expect(await giroClient.events({ after: second?.cursor ?? null, limit: 1 })).toEqual([all[2]]);
    await expect(giroClient.events({ limit: 0 })).rejects.toThrow(RangeError);
    const followed: GiroEvent[] = [];
    for await (const event of giroClient.followEvents()) if (followed.push(event) === all.length) break;
    expect(followed).toEqual(all);
    const without = new GiroClient({ client });
    await expect(without.events()).rejects.toThrow(/events need the journal/);
  } finally {
    await journal.close();
  }
});
