import type { CreateAnswer } from '../../src/domain/transfer/answers';
import type { ClaimedRequest } from '../../src/journal/statements/claim-request';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  answered,
  ask,
  claim,
  movement,
  NOT_SENT,
  openNew,
  REFUSED as REFUSED_BY_BANK,
  UNKNOWN,
} from './support/transfers';

/** How often, how long and after what an order may be sent: the database has the last word. */

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const DENIED = { kind: 'denied' };
const HOUR_MS = 3_600_000;

const create = (originId: number, number: number, resendWindowMs = HOUR_MS): Promise<ClaimedRequest> =>
  db.journal.claimRequest({ originId, number, kind: 'create', runId: 'run-1', resendWindowMs });

async function send(originId: number, number: number, answer: CreateAnswer, resendWindowMs?: number) {
  expect((await create(originId, number, resendWindowMs)).kind).toBe('claimed');
  await db.journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
}

/** As another hand would, past every question of ours. */
const insertCreate = (originId: number, number: number) =>
  db.sql(`insert into giro.request (origin_id, number, kind, run_id) values ($1, $2, 'create', 'hand')`, [
    originId,
    number,
  ]);

/** Neither we nor another hand gets the number for a create; a look-up does. */
async function expectDenied(originId: number, number: number): Promise<void> {
  expect(await create(originId, number)).toEqual(DENIED);
  await expect(insertCreate(originId, number)).rejects.toMatchObject({ code: 'GR001' });
  expect((await claim(db.journal, originId, number, 'lookup')).kind).toBe('claimed');
}

test('three may have reached the bank: no fourth one leaves', async () => {
  const originId = await openNew(db.journal);
  await send(originId, 1, UNKNOWN);
  await ask(db.journal, originId, 2, { kind: 'not-found' });
  await send(originId, 3, REFUSED_BY_BANK);
  expect((await create(originId, 4)).kind).toBe('claimed');
  await expectDenied(originId, 5);
});

test('those that surely were not sent are free, before and between', async () => {
  const originId = await openNew(db.journal);
  for (const number of [1, 2, 3, 4]) await send(originId, number, NOT_SENT);
  for (const number of [5, 7, 9]) {
    await send(originId, number, UNKNOWN);
    if (number < 9) await send(originId, number + 1, NOT_SENT);
  }
  await expectDenied(originId, 10);
});

test.each([
  ['found', movement('IN_PROGRESS')],
  ['found with another amount', movement('CREATED', { echo: 'mismatch', echoFields: ['amount'] })],
  ['found without details', movement('CREATED', { echo: 'incomplete', echoFields: ['details'] })],
])('a look-up has %s a movement: no create leaves, also long after', async (_, found) => {
  const originId = await openNew(db.journal);
  await send(originId, 1, UNKNOWN);
  await ask(db.journal, originId, 2, found);
  for (const number of [3, 4]) await ask(db.journal, originId, number, { kind: 'not-found' });
  await expectDenied(originId, 5);
});

test('a movement that only a create was answered with does not count as found', async () => {
  const originId = await openNew(db.journal);
  await send(originId, 1, answered('CREATED'));
  await ask(db.journal, originId, 2, { kind: 'not-found' });
  expect((await create(originId, 3)).kind).toBe('claimed');
});

describe('the time for repeats', () => {
  test('is noted with the first that may have reached the bank, and a later setting does not lengthen it', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, UNKNOWN, 1);
    await db.sql('select pg_sleep(0.01)');
    expect(await create(originId, 2, 24 * HOUR_MS)).toEqual(DENIED);
    await expectDenied(originId, 2);
  });

  test('nor does one that was surely not sent begin or end it', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, NOT_SENT, 1);
    await send(originId, 2, UNKNOWN);
    await send(originId, 3, UNKNOWN, 1);
    await db.sql('select pg_sleep(0.01)');
    expect((await create(originId, 4)).kind).toBe('claimed');
  });

  test('ends for another hand too', async () => {
    const originId = await openNew(db.journal);
    await db.sql(
      `insert into giro.request (origin_id, number, kind, run_id, claimed_at, resend_until)
       values ($1, 1, 'create', 'run', clock_timestamp() - interval '61 minutes', clock_timestamp() - interval '1 minute')`,
      [originId],
    );
    await expectDenied(originId, 2);
  });
});

test('of creates that race for the last free number after two sends one leaves', async () => {
  const originId = await openNew(db.journal);
  await send(originId, 1, UNKNOWN);
  await send(originId, 2, UNKNOWN);
  const claims = await Promise.all(Array.from({ length: 20 }, () => create(originId, 3)));
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  await expectDenied(originId, 4);
});
