import { recordAnnulment } from '../../src/activities/record-annulment';
import { recordResult } from '../../src/activities/record-transfer';
import type { EndRecorded } from '../../src/activities/record-transfer';
import type { RefusedEnd } from '../../src/activities/transfer-observer';
import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import type { TransferResult } from '../../src/domain/transfer/result';
import { freshKeyRing } from '../codec/key-rings';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import {
  accept,
  aDecision,
  answered,
  aResult,
  ask,
  claim,
  error,
  movement,
  newOriginId,
  anOpening,
  REFUSED,
  seen,
  UNKNOWN,
} from '../journal/support/transfers';

/**
 * The activities that write an end, called as an administrator of Temporal can: from a workflow of his own, or by a
 * history that he has written. An end that the journal's rows do not show is refused; every end that they show is
 * accepted.
 */

type Answers = readonly (CreateAnswer | LookupAnswer)[];

const NOT_FOUND: LookupAnswer = { kind: 'not-found' };
const NO_ANSWER: LookupAnswer = { kind: 'no-answer', error: error('TIMEOUT') };
const times = (count: number, answer: LookupAnswer): Answers => Array<LookupAnswer>(count).fill(answer);
const OTHER_AMOUNT = { echo: 'mismatch', echoFields: ['amount'] } as const;
const REFUSED_RESULT = { reason: 'HTTP 422 E17' };

describe.each([
  ['orders in clear', null],
  ['orders that are sealed', freshKeyRing('k1')],
])('%s', (_, keyRing) => {
  let db: TestJournal;
  beforeAll(async () => (db = await openTestJournal({ keyRing })));
  afterAll(() => db.close());

  async function after(answers: Answers): Promise<number> {
    const originId = newOriginId();
    await db.journal.openTransfer(anOpening(originId));
    for (const [at, answer] of answers.entries()) await ask(db.journal, originId, at + 1, answer);
    return originId;
  }

  /** The end as the workflow requests it; `told`: the log of a refusal. */
  async function end(
    result: TransferResult,
    evidenceNumber = 1_000_000,
    operators: readonly string[] = [],
  ): Promise<EndRecorded & { readonly told: readonly RefusedEnd[] }> {
    const told: RefusedEnd[] = [];
    const observer = {
      endRefused: (refused: RefusedEnd) => told.push(refused),
      ...{ ended: () => undefined, requestEnded: () => undefined, flagsRecorded: () => undefined },
    };
    const context = { journal: db.journal, observer };
    const recorded =
      result.status === 'FAILED'
        ? await recordAnnulment(context)({ result, evidenceNumber, operators })
        : await recordResult(context)(result);
    return { ...recorded, told };
  }

  async function expectRefused(
    result: TransferResult,
    says: RegExp,
    ...by: [evidenceNumber?: number, operators?: readonly string[]]
  ): Promise<void> {
    const { originId, status, decidedBy } = result;
    const reason = expect.stringMatching(says) as string;
    expect(await end(result, ...by)).toEqual({
      ...{ kind: 'refused', refusal: { reason, code: 'GR002' } },
      told: [{ originId, status, decidedBy, reason }],
    });
    const { rows } = await db.sql(
      `select (select count(*) from giro.result where origin_id = $1)::integer as results,
         (select count(*) from giro.annulment where origin_id = $1)::integer as annulments`,
      [originId],
    );
    expect(rows).toEqual([{ results: 0, annulments: 0 }]);
  }

  const taken = async (...of: Parameters<typeof end>) =>
    expect(await end(...of)).toMatchObject({ kind: 'recorded', conflict: false });

  describe.each(['COMPLETED', 'FAILED'] as const)('%s by the bank', (status) => {
    it.each<[string, Answers, Partial<TransferResult>, RegExp]>([
      [
        'while the bank says IN_PROGRESS',
        [answered('CREATED'), movement('IN_PROGRESS')],
        {},
        /request 2, says IN_PROGRESS/,
      ],
      [
        'of which a later answer says otherwise',
        [answered(status), movement('IN_PROGRESS')],
        {},
        /request 2, says IN_PROGRESS/,
      ],
      ['before any answer', [UNKNOWN], {}, /no answer reports a movement/],
      [
        'with another echo',
        [UNKNOWN, movement(status, { echo: 'incomplete', echoFields: ['details'] })],
        {},
        /echo incomplete/,
      ],
      ['of another movement', [answered(status)], { movementId: '99' }, /names its movementId/],
      ['with another network id', [answered(status)], { networkId: 'X' }, /names its networkId/],
      [
        'without the movement id that the answer names',
        [answered(status)],
        { movementId: null },
        /movementId/,
      ],
      [
        'with a network that no answer names',
        [answered(status, { network: null })],
        {},
        /names its network$/,
      ],
      ['of another amount', [answered(status)], { amount: { currency: '032', value: '1.00' } }, /amount/],
      [
        'in another currency',
        [answered(status)],
        { amount: { currency: '840', value: '1500.25' } },
        /amount/,
      ],
      ['of another order', [answered(status)], { orderSha256: '0'.repeat(64) }, /order/],
      ['with a reason', [answered(status)], { reason: 'so be it' }, /gives no reason/],
      ['of nobody', [answered(status)], { decidedBy: null }, /the bank decided it/],
    ])('is refused %s', async (_case, answers, rest, says) => {
      await expectRefused(aResult(await after(answers), status, rest), says);
    });

    it.each<[string, Answers, Partial<TransferResult>]>([
      ['by the answer of the create', [answered(status)], {}],
      ['by a look-up', [UNKNOWN, NOT_FOUND, movement('CREATED'), NO_ANSWER, movement(status)], {}],
      ['by a conflict that a look-up explains', [REFUSED, movement('CREATED'), movement(status)], {}],
      [
        'after an answer without a match',
        [answered('CREATED'), movement('IN_PROGRESS', OTHER_AMOUNT), movement(status)],
        {},
      ],
      [
        'after an incomplete one',
        [answered('CREATED', { echo: 'incomplete', echoFields: ['details'] }), movement(status)],
        {},
      ],
      [
        'by an answer that leaves out its ids',
        [answered('CREATED'), movement(status, { movementId: null, network: null, networkId: null })],
        {},
      ],
      [
        'by such an answer, whose run does not know a late one',
        [answered('CREATED'), movement(status, { networkId: null })],
        { networkId: null },
      ],
    ])('is taken %s', async (_case, answers, rest) => {
      await taken(aResult(await after(answers), status, rest), answers.length);
    });

    it('is accepted after a look-up that reported the same, and so has no answer of its own', async () => {
      const originId = await after([answered('CREATED'), movement(status)]);
      await claim(db.journal, originId, 3, 'lookup');
      await taken(aResult(originId, status), 3);
    });

    it('is taken when the journal was restored meanwhile', async () => {
      const originId = await after([answered('CREATED')]);
      await db.sql(`insert into giro.doubt (origin_id, reason) values ($1, 'restored')`, [originId]);
      await ask(db.journal, originId, 2, movement(status));
      await taken(aResult(originId, status), 2);
    });

    it('stands when an earlier create is answered otherwise later', async () => {
      const originId = await after([]);
      await claim(db.journal, originId, 1, 'create');
      await ask(db.journal, originId, 2, movement(status));
      await taken(aResult(originId, status), 2);
      const late = { originId, number: 1, answer: answered('CREATED', { movementId: '99' }), digest: 'late' };
      await db.journal.recordAnswer(late);
      expect(await end(aResult(originId, status), 2)).toMatchObject({
        kind: 'recorded',
        isNew: false,
        told: [],
      });
    });

    it('needs an answer since operators resumed two movements', async () => {
      const originId = await after([
        answered('CREATED', { movementId: '1' }),
        movement(status, { movementId: '2' }),
      ]);
      const result = aResult(originId, status, { movementId: '2' });
      await expectRefused(result, /in doubt/, 2);
      await db.journal.recordDecision(
        originId,
        aDecision('resumed', 'resume', ['ana'], ['ECHO_MISMATCH'], 2),
      );
      await expectRefused(result, /in doubt/, 2);
      await ask(db.journal, originId, 3, movement(status, { movementId: '2' }));
      await taken(result, 3);
    });

    it('is refused while a look-up names another originId, and accepted once operators have resumed that', async () => {
      const other = { echo: 'mismatch', echoFields: ['originId'] } as const;
      const originId = await after([UNKNOWN, movement('CREATED', other), movement(status)]);
      await expectRefused(aResult(originId, status), /in doubt/, 3);
      await db.journal.recordDecision(
        originId,
        aDecision('resumed', 'resume', ['ana'], ['ECHO_MISMATCH'], 3),
      );
      await ask(db.journal, originId, 4, movement(status));
      await taken(aResult(originId, status), 4);
    });

    it('by operators carries the ids of the last answer', async () => {
      const action = status === 'FAILED' ? 'accept-failed' : 'accept-completed';
      const by = { decidedBy: 'operators', reason: 'bank letter 17' } as const;
      const originId = await after([
        answered('CREATED'),
        movement(status, { ...OTHER_AMOUNT, networkId: null }),
      ]);
      await accept(db.journal, originId, action, ['ECHO_MISMATCH']);
      await expectRefused(aResult(originId, status, by), /networkId/, 2);
      const other = { ...by, networkId: null, reason: 'somebody else said so' };
      await expectRefused(aResult(originId, status, other), /not what the operators gave/, 2);
      await taken(aResult(originId, status, { ...by, networkId: null }), 2, ['ana', 'luis']);
    });
  });

  // A run that was set back, or does not know a late answer, may still offer the decision.
  describe.each([
    ['COMPLETED', 'FAILED'],
    ['FAILED', 'COMPLETED'],
  ] as const)('%s by operators', (status, other) => {
    const action = status === 'FAILED' ? 'accept-failed' : 'accept-completed';
    const by = { decidedBy: 'operators', reason: 'bank letter 17' } as const;

    it.each<[string, Answers, RegExp]>([
      ['says otherwise', [movement(other, OTHER_AMOUNT)], /request 3, says (?:COMPLETED|FAILED)/],
      ['says otherwise, and matches', [movement(other)], /request 3, says (?:COMPLETED|FAILED)/],
      ['is no final status', [movement('IN_PROGRESS')], /request 3, says IN_PROGRESS/],
      ['is a not-found', [NOT_FOUND, NO_ANSWER], /request 3, finds no movement/],
      ['is an unknown status of another movement', [movement('DONE', OTHER_AMOUNT)], /says DONE/],
    ])('is refused when the last answer of the bank %s', async (_case, later, says) => {
      const originId = await after([answered('CREATED'), movement(status, OTHER_AMOUNT), ...later]);
      await accept(db.journal, originId, action, ['ECHO_MISMATCH']);
      const last = later.includes(NOT_FOUND) ? 2 : 3;
      await expectRefused(aResult(originId, status, by), says, last, ['ana', 'luis']);
    });

    it('is taken when the last answer has an unknown status, whatever errors came later', async () => {
      const originId = await after([answered('CREATED'), NOT_FOUND, movement('DONE'), NO_ANSWER]);
      await accept(db.journal, originId, action, ['STATUS_UNKNOWN']);
      await taken(aResult(originId, status, by), 3, ['ana', 'luis']);
    });
  });

  it('an annulment rests on the last answer', async () => {
    const originId = await after([answered('FAILED'), movement('IN_PROGRESS'), movement('FAILED')]);
    await expectRefused(aResult(originId, 'FAILED'), /another answer than the last/, 1);
    await taken(aResult(originId, 'FAILED'), 3);
  });

  describe('REFUSED by the bank', () => {
    it.each<[string, Answers, Partial<TransferResult>, RegExp]>([
      ['at once', [REFUSED], {}, /^.*0 look-ups found nothing, of 12/],
      ['by look-ups before it was sent', [...times(12, NOT_FOUND), REFUSED], {}, /0 look-ups found nothing/],
      ['after 11 look-ups', [REFUSED, ...times(11, NOT_FOUND)], {}, /11 look-ups/],
      ['when errors are among 12', [REFUSED, ...times(11, NOT_FOUND), NO_ANSWER], {}, /11 look-ups/],
      [
        'when an earlier create may have arrived',
        [UNKNOWN, ...times(12, NOT_FOUND), REFUSED, ...times(12, NOT_FOUND)],
        {},
        /only send/,
      ],
      ['when it is known', [REFUSED, movement('CREATED'), ...times(12, NOT_FOUND)], {}, /only send/],
      ['with the ids of a movement', [REFUSED, ...times(12, NOT_FOUND)], { movementId: '1' }, /movementId/],
      ['for another reason', [REFUSED, ...times(12, NOT_FOUND)], { reason: 'HTTP 400' }, /reason/],
    ])('is refused %s', async (_case, answers, rest, says) => {
      await expectRefused(aResult(await after(answers), 'REFUSED', { ...REFUSED_RESULT, ...rest }), says);
    });

    it('is taken after 12 look-ups, of which the first one alone has an answer of its own', async () => {
      const originId = await after([REFUSED, NOT_FOUND]);
      for (let number = 3; number <= 13; number += 1) {
        if (number === 13) await expectRefused(aResult(originId, 'REFUSED', REFUSED_RESULT), /11 look-ups/);
        await claim(db.journal, originId, number, 'lookup');
      }
      await taken(aResult(originId, 'REFUSED', REFUSED_RESULT));
    });

    it('is refused once the journal was restored', async () => {
      const originId = await after([REFUSED, ...times(12, NOT_FOUND)]);
      await db.sql(`insert into giro.doubt (origin_id, reason) values ($1, 'restored')`, [originId]);
      await expectRefused(aResult(originId, 'REFUSED', REFUSED_RESULT), /only send/);
    });
  });

  it('WITHDRAWN, and REFUSED by operators, name no movement', async () => {
    const withdrawn = await after([]);
    await claim(db.journal, withdrawn, 1, 'withdrawal');
    await expectRefused(aResult(withdrawn, 'WITHDRAWN', { movementId: '1' }), /movementId/);
    await expectRefused(aResult(withdrawn, 'WITHDRAWN', { reason: 'the bank said so' }), /reason/);
    await taken(aResult(withdrawn, 'WITHDRAWN'));
    const by = { decidedBy: 'operators', reason: 'bank letter 17' } as const;
    const refused = await after([UNKNOWN, { kind: 'movement', movement: seen('CREATED', OTHER_AMOUNT) }]);
    await accept(db.journal, refused, 'accept-not-taken');
    await expectRefused(aResult(refused, 'REFUSED', { ...by, movementId: '880011' }), /movementId/);
    await taken(aResult(refused, 'REFUSED', by));
  });

  it('REFUSED by operators needs that the last answer of the bank is no movement that matches the order', async () => {
    const by = { decidedBy: 'operators', reason: 'bank letter 17' } as const;
    // A run that was set back to before the create may still offer "not taken".
    const paid = await after([UNKNOWN, movement('COMPLETED'), NO_ANSWER]);
    await accept(db.journal, paid, 'accept-not-taken');
    await expectRefused(aResult(paid, 'REFUSED', by), /request 2, is a movement that matches the order/);
    await expect(db.journal.recordResult(aResult(paid, 'REFUSED', by))).rejects.toThrow(/matches the order/);
    const vanished = await after([answered('CREATED'), NOT_FOUND]);
    await accept(db.journal, vanished, 'accept-not-taken');
    await taken(aResult(vanished, 'REFUSED', by));
  });
});
