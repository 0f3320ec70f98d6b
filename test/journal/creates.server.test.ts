import { isUnbelieved, REQUEST_ERROR_CODES } from '../../src/domain/transfer/answers';
import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import type { ClaimedRequest } from '../../src/journal/statements/claim-request';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  aDecision,
  accept,
  answered,
  ask,
  claim,
  error,
  factsOn,
  movement,
  NOT_SENT,
  openNew,
  REFUSED as REFUSED_BY_BANK,
  UNKNOWN,
} from './support/transfers';

/**
 * How often, how long and after what an order may be sent: the database has the last word, because an administrator of
 * Temporal can schedule the create from a workflow of his own.
 */

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const DENIED = { kind: 'denied' };
const HOUR_MS = 3_600_000;

const create = (
  originId: number,
  number: number,
  resendWindowMs = HOUR_MS,
  inFlightMs = 0,
): Promise<ClaimedRequest> =>
  db.journal.claimRequest({ originId, number, kind: 'create', runId: 'run-1', resendWindowMs, inFlightMs });

async function send(originId: number, number: number, answer: CreateAnswer, resendWindowMs?: number) {
  expect((await create(originId, number, resendWindowMs)).kind).toBe('claimed');
  await db.journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
}

/** Look-ups as the activity makes them: an answer that equals the last one has no row. */
async function lookUp(originId: number, numbers: readonly number[], answer: LookupAnswer): Promise<void> {
  const digest = answer.kind;
  for (const number of numbers) {
    const claimed = await claim(db.journal, originId, number, 'lookup');
    if (claimed.kind !== 'claimed') throw new Error(`look-up ${number} is ${claimed.kind}`);
    if (claimed.lastDigest !== digest) await db.journal.recordAnswer({ originId, number, answer, digest });
  }
}

const NOT_FOUND: LookupAnswer = { kind: 'not-found' };
const NO_ANSWER: LookupAnswer = { kind: 'no-answer', error: error('TIMEOUT') };
/** Numbers from `first` on. */
const from = (first: number, count = 12): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);

/** With plain SQL, without the journal's own checks. */
const insertCreate = (originId: number, number: number) =>
  db.sql(`insert into giro.request (origin_id, number, kind, run_id) values ($1, $2, 'create', 'hand')`, [
    originId,
    number,
  ]);

/** Neither the journal nor plain SQL can claim the number for a create; a look-up can. */
async function expectDenied(originId: number, number: number): Promise<void> {
  expect(await create(originId, number)).toEqual(DENIED);
  await expect(insertCreate(originId, number)).rejects.toMatchObject({ code: 'GR001' });
  expect((await claim(db.journal, originId, number, 'lookup')).kind).toBe('claimed');
}

test('the answer of a request is read by its number, as soon as it is recorded', async () => {
  const originId = await openNew(db.journal);
  await create(originId, 1);
  expect(await db.journal.recordedAnswer({ originId, number: 1 })).toBeNull();
  await db.journal.recordAnswer({ originId, number: 1, answer: UNKNOWN, digest: 'digest-1' });
  const ages = { claimAgeMs: expect.any(Number) as number, answerAgeMs: expect.any(Number) as number };
  expect(await db.journal.recordedAnswer({ originId, number: 1 })).toEqual({
    ...{ number: 1, requestKind: 'create', answer: UNKNOWN, ...ages },
  });
  await lookUp(originId, [2], NOT_FOUND);
  expect(await db.journal.recordedAnswer({ originId, number: 2 })).toEqual({
    ...{ number: 2, requestKind: 'lookup', answer: NOT_FOUND, ...ages },
  });
});

test('three may have reached the bank: no fourth one leaves', async () => {
  const originId = await openNew(db.journal);
  await send(originId, 1, UNKNOWN);
  await lookUp(originId, from(2), NOT_FOUND);
  await send(originId, 14, REFUSED_BY_BANK);
  await lookUp(originId, from(15), NOT_FOUND);
  expect((await create(originId, 27)).kind).toBe('claimed');
  await lookUp(originId, from(28), NOT_FOUND);
  await expectDenied(originId, 40);
});

test('those that surely were not sent are free, before and between', async () => {
  const originId = await openNew(db.journal);
  for (const number of [1, 2]) await send(originId, number, NOT_SENT);
  await send(originId, 3, UNKNOWN);
  await lookUp(originId, from(4), NOT_FOUND);
  for (const number of [16, 17]) await send(originId, number, NOT_SENT);
  await send(originId, 18, UNKNOWN);
  await lookUp(originId, from(19), NOT_FOUND);
  await send(originId, 31, NOT_SENT);
  await send(originId, 32, UNKNOWN);
  await lookUp(originId, from(33), NOT_FOUND);
  await expectDenied(originId, 45);
});

describe('a second one follows only what lets the workflow repeat', () => {
  const ENDS: readonly (readonly [string, CreateAnswer | null])[] = [
    ['without an answer', UNKNOWN],
    ['answered with another order', answered('CREATED', { echo: 'mismatch', echoFields: ['amount'] })],
    ['of which nothing is recorded', null],
  ];

  test.each(ENDS)('%s: twelve look-ups that find nothing', async (_, answer) => {
    const originId = await openNew(db.journal);
    if (answer === null) await create(originId, 1);
    else await send(originId, 1, answer);
    expect(await create(originId, 2)).toEqual(DENIED);
    await lookUp(originId, from(2, 11), NOT_FOUND);
    await expectDenied(originId, 13);
    await lookUp(originId, [14], NOT_FOUND);
    expect((await create(originId, 15)).kind).toBe('claimed');
    // Those before it do not count for the next one.
    await expectDenied(originId, 16);
  });

  test('refused, and nothing else was sent: none, for that is its end', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, NOT_SENT);
    await send(originId, 2, REFUSED_BY_BANK);
    await lookUp(originId, from(3), NOT_FOUND);
    await expectDenied(originId, 15);
  });

  test('two creates that were answered with other movements: none before operators have decided', async () => {
    const originId = await openNew(db.journal);
    const wrong = (movementId: string) =>
      answered('CREATED', { echo: 'mismatch', echoFields: ['originId'], movementId });
    await send(originId, 1, wrong('A'));
    await lookUp(originId, from(2), NOT_FOUND);
    await send(originId, 14, wrong('B'));
    await lookUp(originId, from(15), NOT_FOUND);
    await expectDenied(originId, 27);
  });

  test('look-ups without an answer do not count, with or without a recorded row', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, UNKNOWN);
    await lookUp(originId, from(2, 11), NOT_FOUND);
    await lookUp(originId, from(13, 20), NO_ANSWER);
    expect(await create(originId, 33)).toEqual(DENIED);
    await lookUp(originId, [33], NOT_FOUND);
    expect((await create(originId, 34)).kind).toBe('claimed');
  });

  describe('look-ups while it may be in flight do not count', () => {
    const record = (originId: number, number: number, answer: CreateAnswer | LookupAnswer) =>
      db.journal.recordAnswer({ originId, number, answer, digest: `late ${number}` });

    test('until its end is recorded', async () => {
      const originId = await openNew(db.journal);
      await create(originId, 1, HOUR_MS, HOUR_MS);
      await lookUp(originId, from(2), NOT_FOUND);
      expect(await create(originId, 14)).toEqual(DENIED);
      await record(originId, 1, UNKNOWN);
      await lookUp(originId, from(14, 11), NOT_FOUND);
      await expectDenied(originId, 25);
      await record(originId, 25, NOT_FOUND);
      expect((await create(originId, 26)).kind).toBe('claimed');
    });

    test('or its time is over; an end that is recorded later takes nothing back', async () => {
      const originId = await openNew(db.journal);
      await create(originId, 1, HOUR_MS, 0);
      await lookUp(originId, from(2), NOT_FOUND);
      await record(originId, 1, UNKNOWN);
      expect((await create(originId, 14)).kind).toBe('claimed');
    });

    test('a late answer of one changes nothing about the answers of the others', async () => {
      const [found, lost] = [await openNew(db.journal), await openNew(db.journal)];
      for (const [originId, first, late] of [
        [found, NOT_FOUND, NO_ANSWER],
        [lost, NO_ANSWER, NOT_FOUND],
      ] as const) {
        await send(originId, 1, UNKNOWN);
        await lookUp(originId, [2], first);
        expect((await claim(db.journal, originId, 3, 'lookup')).kind).toBe('claimed');
        await lookUp(originId, from(4, 11), first);
        await record(originId, 3, late);
      }
      expect((await create(found, 15)).kind).toBe('claimed');
      await expectDenied(lost, 15);
    });
  });

  test.each(['match', 'incomplete'] as const)(
    'answered, the echo a %s: no look-ups are enough; two operators are, once',
    async (echo) => {
      const originId = await openNew(db.journal);
      await send(originId, 1, answered('CREATED', { echo }));
      await lookUp(originId, from(2), NOT_FOUND);
      expect(await create(originId, 14)).toEqual(DENIED);
      await accept(db.journal, originId, 'resend', ['VANISHED'], 13);
      await send(originId, 14, NOT_SENT);
      await send(originId, 15, UNKNOWN);
      await lookUp(originId, from(16), NOT_FOUND);
      expect(await create(originId, 28)).toEqual(DENIED);
      await accept(db.journal, originId, 'resend', ['OUTCOME_UNKNOWN'], 27);
      expect((await create(originId, 28)).kind).toBe('claimed');
    },
  );

  test.each([
    ['OUTCOME_UNKNOWN', DENIED],
    ['VANISHED', DENIED],
    ['JOURNAL_CONFLICT', DENIED],
    ['ORDER_TAMPERED', DENIED],
    ['ECHO_MISMATCH', { kind: 'claimed' }],
    ['OPEN_TOO_LONG', { kind: 'claimed' }],
  ] as const)('once operators have resumed %s, as the workflow has it', async (flag, expected) => {
    const originId = await openNew(db.journal);
    await send(originId, 1, UNKNOWN);
    await db.journal.recordDecision(originId, aDecision('resumed', 'resume', ['ana'], [flag], 1));
    await lookUp(originId, from(2), NOT_FOUND);
    expect(await create(originId, 14)).toMatchObject(expected);
  });

  test.each(['JOURNAL_CONFLICT', 'ORDER_TAMPERED'] as const)(
    '%s that was resumed before anything was sent takes nothing away',
    async (flag) => {
      const originId = await openNew(db.journal);
      await send(originId, 1, NOT_SENT);
      await db.journal.recordDecision(originId, aDecision('resumed', 'resume', ['ana'], [flag], 1));
      await send(originId, 2, UNKNOWN);
      await lookUp(originId, from(3), NOT_FOUND);
      expect((await create(originId, 15)).kind).toBe('claimed');
    },
  );

  test.each([
    ['OUTCOME_UNKNOWN', DENIED],
    ['VANISHED', DENIED],
    ['JOURNAL_CONFLICT', DENIED],
    ['ORDER_TAMPERED', DENIED],
    ['OPEN_TOO_LONG', { kind: 'claimed' }],
  ] as const)(
    'an accepted resend under which %s was resumed since, as the workflow has it',
    async (flag, expected) => {
      const originId = await openNew(db.journal);
      await send(originId, 1, UNKNOWN);
      await accept(db.journal, originId, 'resend', ['OUTCOME_UNKNOWN'], 1);
      await db.journal.recordDecision(originId, aDecision('resumed', 'resume', ['ana'], [flag], 1));
      expect(await create(originId, 2)).toMatchObject(expected);
    },
  );

  test('nor does an accepted resend count after an end that was accepted since, until operators resume it', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, UNKNOWN);
    await accept(db.journal, originId, 'resend', ['OUTCOME_UNKNOWN'], 1);
    await accept(db.journal, originId, 'accept-not-taken', ['OUTCOME_UNKNOWN'], 1);
    await expectDenied(originId, 2);
    await db.journal.recordDecision(
      originId,
      aDecision('resumed', 'resume', ['ana'], ['JOURNAL_CONFLICT'], 2),
    );
    await expectDenied(originId, 3);
    await accept(db.journal, originId, 'resend', ['OUTCOME_UNKNOWN'], 3);
    expect((await create(originId, 4)).kind).toBe('claimed');
  });

  test.each([
    ['resumed', 'resume', ['ana']],
    ['voided', null, []],
  ] as const)(
    'an end that was accepted of what was never sent stops its create until it is %s',
    async (outcome, action, by) => {
      const originId = await openNew(db.journal);
      await send(originId, 1, NOT_SENT);
      await accept(db.journal, originId, 'accept-not-taken', ['ORDER_TAMPERED'], 1);
      await expectDenied(originId, 2);
      await db.journal.recordDecision(originId, aDecision(outcome, action, by, [], 2));
      expect((await create(originId, 3)).kind).toBe('claimed');
    },
  );

  test('a run that was ahead of a restored journal resumed JOURNAL_CONFLICT before anything was sent', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, NOT_SENT);
    const ahead = aDecision('resumed', 'resume', ['ana'], ['JOURNAL_CONFLICT'], 20);
    await db.journal.recordDecision(originId, ahead);
    // A decision of the same millisecond as the create counts as later, and takes the repeat away.
    await db.sql('select pg_sleep(0.01)');
    await send(originId, 2, UNKNOWN);
    await lookUp(originId, from(3), NOT_FOUND);
    expect((await factsOn(db.journal, originId)).sends.mayRepeat).toBe(true);
    expect((await create(originId, 15)).kind).toBe('claimed');
  });

  test('an acceptance knows no request that is not made yet', async () => {
    const originId = await openNew(db.journal);
    await send(originId, 1, UNKNOWN);
    await db.journal.recordDecision(originId, aDecision('proposed', 'resend', ['ana'], [], 1));
    const ahead = aDecision('accepted', 'resend', ['ana', 'luis'], [], 2);
    expect(await db.journal.recordDecision(originId, ahead)).toEqual({
      ...{ recorded: false, rule: 'it names a request that the journal does not have' },
    });
    expect(await create(originId, 2)).toEqual(DENIED);
  });
});

describe('a hold of what was never sent, cleared by flags alone', () => {
  test.each(REQUEST_ERROR_CODES)(
    'a create that was not sent for %s: it stands where the order is not believed',
    async (code) => {
      const originId = await openNew(db.journal);
      await send(originId, 1, { kind: 'not-sent', error: error(code) });
      if (!isUnbelieved(error(code))) {
        expect((await create(originId, 2)).kind).toBe('claimed');
        return;
      }
      await expectDenied(originId, 2);
      await db.journal.recordDecision(originId, aDecision('resumed', 'resume', ['ana'], [], 2));
      expect((await create(originId, 3)).kind).toBe('claimed');
    },
  );

  test.each(['ORDER_TAMPERED', 'JOURNAL_CONFLICT'] as const)(
    '%s stands, in what the next run is told too',
    async (reason) => {
      const originId = await openNew(db.journal);
      await db.journal.recordFlags(originId, [reason, 'OPEN_TOO_LONG']);
      await db.journal.recordFlags(originId, []);
      expect(await create(originId, 1)).toEqual(DENIED);
      const { openFlags } = await factsOn(db.journal, originId);
      expect(openFlags).toMatchObject([{ reason, isUnwritten: true }]);
      await db.journal.recordDecision(originId, aDecision('resumed', 'resume', ['ana'], [reason], 0));
      expect((await factsOn(db.journal, originId)).openFlags).toEqual([]);
      expect((await create(originId, 1)).kind).toBe('claimed');
    },
  );
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
    await lookUp(originId, from(3), NOT_FOUND);
    await send(originId, 15, UNKNOWN, 1);
    await lookUp(originId, from(16), NOT_FOUND);
    await db.sql('select pg_sleep(0.01)');
    expect((await create(originId, 28)).kind).toBe('claimed');
  });

  test('ends for plain SQL too', async () => {
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
  await lookUp(originId, from(2), NOT_FOUND);
  await send(originId, 14, UNKNOWN);
  await lookUp(originId, from(15), NOT_FOUND);
  const claims = await Promise.all(Array.from({ length: 20 }, () => create(originId, 27)));
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  await expectDenied(originId, 28);
});
