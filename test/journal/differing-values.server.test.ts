import type { DifferingValue } from '../../src/domain/echo';
import type { SeenMovement } from '../../src/domain/transfer/answers';
import { createJournal } from '../../src/journal/create-journal';
import type { OpenJournal } from '../../src/journal/create-journal';
import type { Journal } from '../../src/journal/journal';
import { freshKeyRing } from '../codec/key-rings';
import { openTestJournal, PATIENT } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { anOpening, answered, claim, movement, newOriginId, openNew } from './support/transfers';

const ACCOUNT = '3220001880500009999902';
const PERSON = '27361705039';
const FIELDS = ['destination.address', 'destination.personId'] as const;
const DIFFERING: readonly DifferingValue[] = [
  { field: FIELDS[0], ordered: '9990001800000000000017', reported: [ACCOUNT] },
  { field: FIELDS[1], ordered: '20218346414', reported: ['20-50977674-2', PERSON] },
];
const OTHER = [{ ...DIFFERING[0]!, reported: ['0009001600000000000024'] }];
const mismatch: Partial<SeenMovement> = { echo: 'mismatch', echoFields: ['amount', ...FIELDS] };

const ring = freshKeyRing('k1');
let db: TestJournal;
/** The same database, worked without a key ring. */
let clear: OpenJournal;
beforeAll(async () => {
  db = await openTestJournal({ keyRing: ring });
  clear = createJournal(db.url, { timeouts: PATIENT });
});
afterAll(async () => {
  await clear.close();
  await db.close();
});

async function created(journal: Journal, differing = DIFFERING, rest = mismatch): Promise<number> {
  const originId = await openNew(journal);
  await claim(journal, originId, 1, 'create');
  const answer = answered('CREATED', rest);
  await journal.recordAnswer({ originId, number: 1, answer, digest: 'a', differing });
  return originId;
}

async function lookedUp(
  journal: Journal,
  originId: number,
  number: number,
  rest: Partial<SeenMovement>,
  differing: readonly DifferingValue[] = [],
): Promise<void> {
  await claim(journal, originId, number, 'lookup');
  const answer = movement('COMPLETED', rest);
  await journal.recordAnswer({ originId, number, answer, digest: `a${number}`, differing });
}

const rowsOf = async (originId: number) =>
  (
    await db.sql('select number, sealed from giro.differing_values where origin_id = $1 order by 1', [
      originId,
    ])
  ).rows;

test('differing values are stored sealed with their answer and open with the key', async () => {
  const originId = await created(db.journal);
  const [row, ...more] = await rowsOf(originId);
  expect(more).toEqual([]);
  expect(row).toEqual({ number: 1, sealed: expect.stringMatching(/^k1:[A-Za-z0-9+/]+=*$/) });
  expect(await db.journal.differingValues(originId)).toEqual({
    ...{ number: 1, at: expect.stringMatching(/Z$/), fields: FIELDS },
    content: { kind: 'opened', values: DIFFERING },
  });
});

test('the journal says whether it keeps what differs', () => {
  expect([db.journal.keepsDiffering, clear.journal.keepsDiffering]).toEqual([true, false]);
});

test('a repeated record of an answer adds nothing', async () => {
  const originId = await created(db.journal);
  const answer = answered('CREATED', mismatch);
  await db.journal.recordAnswer({ originId, number: 1, answer, digest: 'a', differing: OTHER });
  expect(await rowsOf(originId)).toHaveLength(1);
  expect((await db.journal.differingValues(originId))?.content).toEqual({
    kind: 'opened',
    values: DIFFERING,
  });
});

test('the latest mismatch counts, until an answer matches', async () => {
  const originId = await created(db.journal);
  await lookedUp(db.journal, originId, 2, mismatch, OTHER);
  await lookedUp(db.journal, originId, 3, { echo: 'incomplete', echoFields: ['details'] });
  expect(await db.journal.differingValues(originId)).toMatchObject({
    number: 2,
    content: { kind: 'opened', values: OTHER },
  });
  await lookedUp(db.journal, originId, 4, { echo: 'match' });
  expect(await db.journal.differingValues(originId)).toBeNull();
});

test('without a key ring nothing is kept, which is reported', async () => {
  const originId = await created(clear.journal);
  expect(await rowsOf(originId)).toEqual([]);
  expect(await clear.journal.differingValues(originId)).toMatchObject({
    number: 1,
    fields: FIELDS,
    content: { kind: 'not-kept' },
  });
});

test('what was kept with a key ring does not open without it, or with another', async () => {
  const originId = await created(db.journal);
  const others = createJournal(db.url, { keyRing: freshKeyRing('k2'), timeouts: PATIENT });
  try {
    for (const [journal, why] of [
      [clear.journal, 'kept encrypted, and CODEC_KEYS_FILE is not set'],
      [others.journal, 'no key k1 in the key ring'],
    ] as const) {
      const kept = await journal.differingValues(originId);
      expect(kept).toMatchObject({ fields: FIELDS, content: { kind: 'not-opened' } });
      expect(kept?.content.kind === 'not-opened' && kept.content.error.message).toContain(why);
    }
  } finally {
    await others.close();
  }
});

test('a row cannot replace that of another answer', async () => {
  const [first, second] = [await created(db.journal), await created(clear.journal)];
  const [row] = await rowsOf(first);
  await db.sql('insert into giro.differing_values (origin_id, number, sealed) values ($1, 1, $2)', [
    second,
    row?.['sealed'],
  ]);
  const kept = await db.journal.differingValues(second);
  expect(kept?.content.kind === 'not-opened' && kept.content.error.message).toContain(
    'sealed for another place',
  );
});

test('no account differs: nothing is kept and nothing reported', async () => {
  const amount = await created(db.journal, [], { echo: 'mismatch', echoFields: ['amount'] });
  const match = await created(db.journal, [], {});
  for (const originId of [amount, match, newOriginId()]) {
    expect(await rowsOf(originId)).toEqual([]);
    expect(await db.journal.differingValues(originId)).toBeNull();
  }
});

test('the database takes none without an answer that is a mismatch, none in clear, and no second one', async () => {
  const insert = (originId: number, number: number, sealed = 'k1:AAAA') =>
    db.sql('insert into giro.differing_values (origin_id, number, sealed) values ($1, $2, $3)', [
      ...[originId, number, sealed],
    ]);
  const match = await created(db.journal, [], {});
  await expect(insert(match, 1)).rejects.toMatchObject({ code: 'GR002' });
  await expect(insert(match, 2)).rejects.toMatchObject({ code: 'GR002' });
  const held = await created(db.journal);
  await expect(insert(held, 1)).rejects.toMatchObject({ code: '23505' });
  const unsealed = await created(clear.journal);
  await expect(insert(unsealed, 1, JSON.stringify(DIFFERING))).rejects.toMatchObject({ code: '23514' });
});

test('no row of the answer holds what differs', async () => {
  const originId = await created(db.journal);
  const { rows } = await db.sql('select a::text as row from giro.answer a where origin_id = $1', [originId]);
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${ACCOUNT}|${PERSON}|20-50977674-2`));
});

describe('the amount of a transfer', () => {
  test('is that of the order while it is open', async () => {
    const originId = newOriginId();
    await db.journal.openTransfer(anOpening(originId, '77.10'));
    expect((await db.journal.transfer(originId))?.amount).toEqual({ currency: '032', value: '77.10' });
    // Its order is sealed: without the key everything else is shown.
    expect(await clear.journal.transfer(originId)).toMatchObject({ originId, amount: null });
  });

  test('needs no key where orders are in clear', async () => {
    const originId = await openNew(clear.journal);
    expect((await clear.journal.transfer(originId))?.amount?.value).toBe('1500.25');
  });
});
