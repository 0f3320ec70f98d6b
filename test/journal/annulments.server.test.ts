import type { TransferResult } from '../../src/domain/transfer/result';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  accept,
  anOrder,
  answered,
  aResult,
  ask,
  claim,
  movement,
  NOT_SENT,
  openNew,
  REFUSED,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const byBank = (originId: number, evidenceNumber: number) =>
  db.journal.recordAnnulment({ result: aResult(originId, 'FAILED'), evidenceNumber, operators: [] });

const annulmentsOf = async (originId: number) =>
  (await db.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
    (one) => one.originId === originId,
  );

test('FAILED by the bank records one annulment and the result, in one go', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED'));
  await ask(db.journal, originId, 2, movement('FAILED'));
  const recorded = await byBank(originId, 2);
  expect(recorded).toEqual({
    conflict: false,
    isNew: true,
    result: {
      ...aResult(originId, 'FAILED'),
      annulmentId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    },
  });
  const { from, to } = anOrder(originId);
  expect(await annulmentsOf(originId)).toEqual([
    {
      id: recorded.result.annulmentId,
      originId,
      movementId: '880011',
      network: 'COELSA',
      networkId: 'L4K7EGO5D3Z2J1V9QWERTY',
      amount: '1500.25',
      currency: '032',
      from,
      to,
      bankStatus: 'FAILED',
      bankTimes: { posting: '2026-01-05T10:00:00Z', completed: '2026-01-05T10:00:09Z' },
      evidenceSha256: 'ab'.repeat(32),
      decidedBy: 'bank',
      operators: [],
      reason: null,
      recordedAt: expect.stringMatching(/^20[0-9-]{8}T[0-9:.]{12}Z$/) as string,
    },
  ]);
});

test('20 concurrent records make one annulment', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('FAILED'));
  const recorded = await Promise.all(Array.from({ length: 20 }, () => byBank(originId, 1)));
  expect(new Set(recorded.map(({ result }) => result.annulmentId)).size).toBe(1);
  expect(recorded.every(({ conflict }) => !conflict)).toBe(true);
  expect(await annulmentsOf(originId)).toHaveLength(1);
});

test('an unchanged answer has no record of its own: the one before it is the evidence', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED'));
  await ask(db.journal, originId, 2, movement('FAILED'), 'failed');
  expect(await claim(db.journal, originId, 3, 'lookup')).toMatchObject({ lastDigest: 'failed' });
  expect(await byBank(originId, 3)).toMatchObject({ conflict: false, result: { status: 'FAILED' } });
  const { rows } = await db.sql('select evidence_number from giro.annulment where origin_id = $1', [
    originId,
  ]);
  expect(rows).toEqual([{ evidence_number: 2 }]);
});

describe('without a matching FAILED there is no annulment', () => {
  test.each([
    ['nothing was asked', []],
    ['the create timed out', [UNKNOWN]],
    ['the create was refused', [REFUSED]],
    ['the bank does not find it', [UNKNOWN, { kind: 'not-found' }]],
    ['the bank says DELAYED', [answered('DELAYED')]],
    ['the bank says COMPLETED', [answered('COMPLETED')]],
    ['the echo is a mismatch', [answered('FAILED', { echo: 'mismatch' })]],
    ['the echo is incomplete', [answered('FAILED', { echo: 'incomplete' })]],
    ['the bank said FAILED once and something else since', [answered('FAILED'), { kind: 'not-found' }]],
  ] as const)('%s', async (_, answers) => {
    const originId = await openNew(db.journal);
    for (const [index, answer] of answers.entries()) await ask(db.journal, originId, index + 1, answer);
    await expect(byBank(originId, answers.length)).rejects.toThrow(/refused: no matching answer FAILED/);
    expect(await annulmentsOf(originId)).toEqual([]);
    expect((await db.journal.transfer(originId))?.result).toBeNull();
  });

  test('the FAILED of another transfer does not count', async () => {
    const [failed, other] = [await openNew(db.journal), await openNew(db.journal)];
    await ask(db.journal, failed, 1, answered('FAILED'));
    await ask(db.journal, other, 1, answered('CREATED'));
    await expect(byBank(other, 1)).rejects.toThrow(/no matching answer FAILED/);
  });

  test('plain SQL is refused too', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('DELAYED'));
    await expect(
      db.sql(
        `insert into giro.annulment (origin_id, amount, currency, evidence_number, bank_status, bank_posting_at,
           bank_completed_at, evidence_sha256, decided_by, operators)
         select origin_id, 1500.25, '032', number, bank_status, posting_at, completed_at,
           encode(evidence_sha256, 'hex'), 'bank', '{}'
         from giro.answer where origin_id = $1`,
        [originId],
      ),
    ).rejects.toMatchObject({ code: 'GR002' });
  });
});

test('two different operators whose decision is recorded may decide FAILED, nobody else', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('SETTLED'));
  const result = aResult(originId, 'FAILED', { decidedBy: 'operators', reason: 'bank letter 17' });
  const decide = (operators: string[]) =>
    db.journal.recordAnnulment({
      result: { ...result, decidedBy: 'operators' },
      evidenceNumber: 1,
      operators,
    });
  await expect(decide(['ana', 'luis'])).rejects.toThrow(/no recorded decision of two operators/);
  await accept(db.journal, originId, 'accept-failed');
  for (const others of [[], ['ana'], ['ana', 'ana'], ['ana', 'eva']]) {
    await expect(decide(others)).rejects.toThrow(/no recorded decision of two operators/);
  }
  expect(await decide(['ana', 'luis'])).toMatchObject({ conflict: false });
  expect(await annulmentsOf(originId)).toMatchObject([
    { decidedBy: 'operators', operators: ['ana', 'luis'], reason: 'bank letter 17', bankStatus: 'SETTLED' },
  ]);
});

describe('a FAILED result and its annulment come together', () => {
  test('no FAILED without an annulment', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('FAILED'));
    const result = aResult(originId, 'FAILED');
    const invented: TransferResult = { ...result, annulmentId: '00000000-0000-4000-8000-000000000000' };
    for (const alone of [result, invented])
      await expect(db.journal.recordResult(alone)).rejects.toMatchObject({ sqlState: 'GR002' });
  });

  test('no annulment without a FAILED result', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('FAILED'));
    await expect(
      db.sql(
        `insert into giro.annulment (origin_id, amount, currency, evidence_number, bank_status, bank_posting_at,
           bank_completed_at, evidence_sha256, decided_by, operators)
         select origin_id, 1500.25, '032', number, bank_status, posting_at, completed_at,
           encode(evidence_sha256, 'hex'), 'bank', '{}'
         from giro.answer where origin_id = $1`,
        [originId],
      ),
    ).rejects.toMatchObject({ code: '23503' });
    expect(await annulmentsOf(originId)).toEqual([]);
  });

  test('FAILED after COMPLETED is a conflict, and nothing is annulled', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('COMPLETED'));
    const completed = aResult(originId, 'COMPLETED');
    await db.journal.recordResult(completed);
    expect(await byBank(originId, 1)).toEqual({ result: completed, conflict: true, isNew: false });
    expect(await annulmentsOf(originId)).toEqual([]);
  });

  test('COMPLETED and FAILED that race end in one of them', async () => {
    for (let round = 0; round < 40; round += 1) {
      const originId = await openNew(db.journal);
      await ask(db.journal, originId, 1, answered('COMPLETED'));
      await ask(db.journal, originId, 2, movement('FAILED'));
      const [completed, failed] = await Promise.all([
        db.journal.recordResult(aResult(originId, 'COMPLETED')),
        byBank(originId, 2),
      ]);
      expect(completed.result).toEqual(failed.result);
      expect([completed.conflict, failed.conflict].sort()).toEqual([false, true]);
      expect(await annulmentsOf(originId)).toHaveLength(completed.result.status === 'FAILED' ? 1 : 0);
    }
  });
});

describe('results', () => {
  test('a repeat returns what is there; another status, id or decider is a conflict', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('COMPLETED'));
    const result = aResult(originId, 'COMPLETED');
    expect(await db.journal.recordResult(result)).toEqual({ result, conflict: false, isNew: true });
    expect(await db.journal.recordResult(result)).toEqual({ result, conflict: false, isNew: false });
    for (const change of [
      { status: 'REFUSED' },
      { movementId: '1' },
      { networkId: null },
      { decidedBy: 'operators' },
    ] as const) {
      expect(await db.journal.recordResult({ ...result, ...change })).toEqual({
        result,
        conflict: true,
        isNew: false,
      });
    }
  });

  test('recorded 20 times at once it is one result', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('COMPLETED'));
    const result = aResult(originId, 'COMPLETED');
    const recorded = await Promise.all(Array.from({ length: 20 }, () => db.journal.recordResult(result)));
    expect(recorded.filter(({ isNew }) => isNew)).toHaveLength(1);
    for (const it of recorded) expect(it).toMatchObject({ result, conflict: false });
  });

  test('COMPLETED needs a matching answer COMPLETED, or operators', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('COMPLETED', { echo: 'mismatch' }));
    const result = aResult(originId, 'COMPLETED');
    await expect(db.journal.recordResult(result)).rejects.toThrow(/no matching answer COMPLETED/);
    const decided = { ...result, decidedBy: 'operators' } as const;
    await accept(db.journal, originId, 'accept-not-taken');
    await expect(db.journal.recordResult(decided)).rejects.toThrow(/no recorded decision of two operators/);
    await accept(db.journal, originId, 'accept-completed');
    expect(await db.journal.recordResult(decided)).toEqual({ result: decided, conflict: false, isNew: true });
  });

  test('REFUSED needs a refusal of the only create, and that the bank knows nothing of it', async () => {
    const [never, known, refused, twice] = [
      await openNew(db.journal),
      await openNew(db.journal),
      await openNew(db.journal),
      await openNew(db.journal),
    ];
    await ask(db.journal, twice, 1, UNKNOWN);
    for (let number = 2; number <= 13; number += 1)
      await ask(db.journal, twice, number, { kind: 'not-found' });
    await ask(db.journal, twice, 14, REFUSED);
    await expect(db.journal.recordResult(aResult(twice, 'REFUSED'))).rejects.toThrow(/did not refuse/);
    await ask(db.journal, never, 1, UNKNOWN);
    await expect(db.journal.recordResult(aResult(never, 'REFUSED'))).rejects.toThrow(/did not refuse/);
    await ask(db.journal, known, 1, REFUSED);
    await ask(db.journal, known, 2, movement('CREATED'));
    await expect(db.journal.recordResult(aResult(known, 'REFUSED'))).rejects.toThrow(/or knows it/);
    await ask(db.journal, refused, 1, REFUSED);
    await ask(db.journal, refused, 2, { kind: 'not-found' });
    expect(await db.journal.recordResult(aResult(refused, 'REFUSED'))).toMatchObject({ conflict: false });
  });

  test('WITHDRAWN needs a granted withdrawal, and a granted withdrawal ends in nothing else', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, NOT_SENT);
    await expect(db.journal.recordResult(aResult(originId, 'WITHDRAWN'))).rejects.toThrow(/not claimed/);
    await claim(db.journal, originId, 2, 'withdrawal');
    const refused = aResult(originId, 'REFUSED', { decidedBy: 'operators' });
    await expect(db.journal.recordResult(refused)).rejects.toThrow(/its withdrawal is claimed/);
    expect(await db.journal.recordResult(aResult(originId, 'WITHDRAWN'))).toMatchObject({
      conflict: false,
    });
  });
});

test('answers that name two movements: neither FAILED nor COMPLETED by the bank alone', async () => {
  for (const status of ['FAILED', 'COMPLETED'] as const) {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('CREATED', { movementId: '1' }));
    await ask(db.journal, originId, 2, movement(status, { movementId: '2' }));
    const recording =
      status === 'FAILED' ? byBank(originId, 2) : db.journal.recordResult(aResult(originId, 'COMPLETED'));
    await expect(recording).rejects.toMatchObject({ sqlState: 'GR002' });
  }
});

test('no REFUSED once a look-up found a movement, whatever its echo', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, REFUSED);
  await ask(db.journal, originId, 2, movement('CREATED', { echo: 'mismatch' }));
  await expect(db.journal.recordResult(aResult(originId, 'REFUSED'))).rejects.toMatchObject({
    sqlState: 'GR002',
  });
});
