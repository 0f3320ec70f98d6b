import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  accept,
  aDecision,
  answered,
  aResult,
  ask,
  factsOn,
  movement,
  newOriginId,
  openNew,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const record = (originId: number, ...line: Parameters<typeof aDecision>) =>
  db.journal.recordDecision(originId, aDecision(...line));

const RECORDED = { recorded: true };

const linesOf = async (originId: number) => {
  const { rows } = await db.sql(
    'select seq, outcome, action, operators from giro.decision where origin_id = $1 order by seq',
    [originId],
  );
  return rows;
};

test('a line that is written 20 times at once is one line', async () => {
  const originId = await openNew(db.journal);
  const line = aDecision('proposed', 'accept-failed', ['ana']);
  const told = await Promise.all(Array.from({ length: 20 }, () => db.journal.recordDecision(originId, line)));
  expect(new Set(told.map(({ recorded }) => recorded))).toEqual(new Set([true]));
  expect(await linesOf(originId)).toEqual([
    { seq: 1, outcome: 'proposed', action: 'accept-failed', operators: ['ana'] },
  ]);
});

test('of two operators who accept at once one does: the proposal is used up', async () => {
  for (let round = 0; round < 20; round += 1) {
    const originId = await openNew(db.journal);
    await record(originId, 'proposed', 'accept-failed', ['ana']);
    const told = await Promise.all([
      record(originId, 'accepted', 'accept-failed', ['ana', 'luis']),
      record(originId, 'accepted', 'accept-failed', ['ana', 'eva']),
    ]);
    expect(told.filter(({ recorded }) => recorded)).toHaveLength(1);
  }
});

describe('an acceptance rests on the live proposal of another operator', () => {
  test.each([
    ['nobody has proposed it', [], ['ana', 'luis']],
    ['the same operator has', [['proposed', 'resend', ['luis']]], ['luis', 'luis']],
    ['under another spelling', [['proposed', 'resend', ['Luis']]], ['Luis', 'luis']],
    ['something else was proposed', [['proposed', 'accept-failed', ['ana']]], ['ana', 'luis']],
    [
      'the proposer has thought better of it',
      [
        ['proposed', 'resend', ['ana']],
        ['proposed', 'accept-failed', ['ana']],
      ],
      ['ana', 'luis'],
    ],
    [
      'it was withdrawn',
      [
        ['proposed', 'resend', ['ana']],
        ['withdrawn', 'withdraw', ['luis']],
      ],
      ['ana', 'luis'],
    ],
    [
      'the bank has answered since',
      [
        ['proposed', 'resend', ['ana']],
        ['voided', null, []],
      ],
      ['ana', 'luis'],
    ],
    [
      'the transfer was resumed since',
      [
        ['proposed', 'resend', ['ana']],
        ['resumed', 'resume', ['luis']],
      ],
      ['ana', 'luis'],
    ],
    ['another name stands in its place', [['proposed', 'resend', ['ana']]], ['eva', 'luis']],
  ] as const)('not when %s', async (_, before, by) => {
    const originId = await openNew(db.journal);
    for (const [outcome, action, operators] of before) {
      expect(await record(originId, outcome, action, operators)).toEqual(RECORDED);
    }
    expect(await record(originId, 'accepted', 'resend', by, [], 0)).toEqual({
      ...{ recorded: false, rule: 'no other operator has proposed resend' },
    });
    expect(await linesOf(originId)).toHaveLength(before.length);
  });
});

test('a transfer that the journal does not know, or that has ended, is not decided', async () => {
  expect(await record(newOriginId(), 'proposed', 'resend', ['ana'])).toEqual({ recorded: false });
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('COMPLETED'));
  await db.journal.recordResult(aResult(originId, 'COMPLETED'));
  expect(await record(originId, 'proposed', 'resend', ['ana'])).toEqual({
    ...{ recorded: false, rule: 'it has ended' },
  });
  expect(await record(originId, 'voided', null, [])).toEqual(RECORDED);
});

test.each([
  ['COMPLETED', 'accept-completed'],
  ['REFUSED', 'accept-not-taken'],
] as const)('%s by operators needs the acceptance of %s as the last line', async (status, action) => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, UNKNOWN);
  const result = aResult(originId, status, { decidedBy: 'operators', reason: 'bank letter 17' });
  const refusal = /no recorded decision of two operators/;
  await expect(db.journal.recordResult(result)).rejects.toThrow(refusal);
  await record(originId, 'proposed', action, ['ana']);
  await expect(db.journal.recordResult(result)).rejects.toThrow(refusal);
  await accept(db.journal, originId, action);
  await record(originId, 'resumed', 'resume', ['ana']);
  await expect(db.journal.recordResult(result)).rejects.toThrow(refusal);
  await accept(db.journal, originId, action);
  expect(await db.journal.recordResult(result)).toMatchObject({ result, conflict: false });
});

test('plain SQL cannot write a row that does not make sense', async () => {
  const originId = await openNew(db.journal);
  const insert = (columns: string, values: string) =>
    db.sql(
      `insert into giro.decision (origin_id, id, operators, reason, ${columns})
       values ($1, 'x', '{ana,luis}', 'r', ${values})`,
      [originId],
    );
  await expect(
    insert('seq, outcome, action, operator', `1, 'accepted', 'accept-failed', 'luis'`),
  ).rejects.toMatchObject({ code: 'GR002' });
  await expect(
    insert('seq, outcome, action, operator', `2, 'proposed', 'accept-failed', 'luis'`),
  ).rejects.toMatchObject({ code: 'GR001' });
  await expect(
    insert('seq, outcome, action, operator', `1, 'proposed', 'resume', 'luis'`),
  ).rejects.toMatchObject({ code: '23514' });
  await expect(insert('seq, outcome, action', `1, 'resumed', 'resume'`)).rejects.toMatchObject({
    code: '23514',
  });
});

describe('ids count anew', () => {
  /** Two ids, both in answers that match. */
  async function doubted(): Promise<number> {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('CREATED', { movementId: '1' }));
    await ask(db.journal, originId, 2, movement('CREATED', { movementId: '2' }));
    expect((await factsOn(db.journal, originId)).bank.echo.isMismatched).toBe(true);
    return originId;
  }

  test.each(['resume', 'resend'] as const)('by a %s of the mismatch', async (action) => {
    const originId = await doubted();
    if (action === 'resend') await accept(db.journal, originId, 'resend', ['ECHO_MISMATCH'], 2);
    else await record(originId, 'resumed', 'resume', ['ana'], ['ECHO_MISMATCH']);
    expect((await factsOn(db.journal, originId)).bank.echo).toEqual({
      ...{ movementIds: [], isOtherOrigin: false, isMismatched: false },
    });
    await ask(db.journal, originId, 3, movement('COMPLETED', { movementId: '1' }));
    expect((await factsOn(db.journal, originId)).bank).toMatchObject({
      ...{ movementId: '1', status: 'COMPLETED', echo: { movementIds: ['1'], isMismatched: false } },
    });
    const result = aResult(originId, 'COMPLETED', { movementId: '1' });
    expect(await db.journal.recordResult(result)).toMatchObject({ result, conflict: false });
  });

  test('not by a resume of something else', async () => {
    const originId = await doubted();
    await record(originId, 'resumed', 'resume', ['ana'], ['OPEN_TOO_LONG']);
    await ask(db.journal, originId, 3, movement('COMPLETED', { movementId: '1' }));
    expect((await factsOn(db.journal, originId)).bank.echo.movementIds).toEqual(['1', '2']);
    const result = aResult(originId, 'COMPLETED', { movementId: '1' });
    await expect(db.journal.recordResult(result)).rejects.toThrow(/two movement ids/);
  });
});

test.each(['OUTCOME_UNKNOWN', 'VANISHED'] as const)(
  'after a resume of %s it is not sent again by itself',
  async (reason) => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, UNKNOWN);
    await record(originId, 'resumed', 'resume', ['ana'], ['OPEN_TOO_LONG']);
    expect((await factsOn(db.journal, originId)).sends.mayRepeat).toBe(true);
    await record(originId, 'resumed', 'resume', ['ana'], [reason]);
    expect((await factsOn(db.journal, originId)).sends.mayRepeat).toBe(false);
  },
);

test('a run that follows a lost one learns of the proposal that goes with it; commands show it', async () => {
  const originId = await openNew(db.journal);
  const line = aDecision('proposed', 'accept-failed', ['ana'], ['ECHO_MISMATCH']);
  await db.journal.recordDecision(originId, line);
  expect(await factsOn(db.journal, originId)).toMatchObject({
    proposals: [{ id: line.id, action: 'accept-failed', operator: 'ana' }],
    sends: { mayRepeat: true },
  });
  expect((await db.journal.transfer(originId))?.proposals).toEqual([
    {
      action: 'accept-failed',
      operator: 'ana',
      reason: 'bank letter 17',
      at: expect.stringMatching(/^20[0-9-]{8}T[0-9:.]{12}Z$/) as string,
      bankStatus: null,
    },
  ]);
  await record(originId, 'voided', null, []);
  expect(await factsOn(db.journal, originId)).toMatchObject({ proposals: [], acceptance: null });
  expect((await db.journal.transfer(originId))?.proposals).toEqual([]);
});
