import { createTransfer } from '../../src/activities/create-transfer';
import type { TransferActivityContext } from '../../src/activities/context';
import { withdrawTransfer } from '../../src/activities/withdraw-transfer';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import { ourBank } from '../../src/bank/our-bank';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import type { CreateAnswer, RequestError } from '../../src/domain/transfer/answers';
import type { RequestContext } from '../../src/bank/movements/port';
import { CLAIM_ANSWER_MS } from '../../src/domain/transfer/cadence';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { AnswerRecord } from '../../src/journal/statements/record-answer';
import type { ClaimedRequest, RequestClaim } from '../../src/journal/statements/claim-request';
import type { CreateRetry } from '../../src/journal/statements/vouch-for-create';
import { linesOf, openedJournal } from '../../dev/explore/journal-model';
import { CREATE_BODY, ORDER } from '../bank/fixtures';
import { lines, request } from '../domain/transfer/received';
import { BILLING, PAYROLL, proofOf, signerOf } from '../order-proofs/keys';

const REQUEST = {
  ...{ originId: 4711, number: 1, runId: 'run-1', lateMs: 0, returning: false },
  ...{ journalId: '7/00000001', isRetry: false },
  workflowTime: '2026-01-05T10:00:00.000Z',
};
const { originId, number, journalId } = REQUEST;

/** A bank that must not be called, behind a journal with given answers. */
function steps({
  isVouched,
  claim = HELD_BACK,
  isOpen = false,
  sent = [],
}: {
  isVouched: boolean;
  claim?: ClaimedRequest;
  isOpen?: boolean;
  sent?: readonly (CreateAnswer | null)[];
}) {
  const asked: string[] = [];
  const recorded: AnswerRecord[] = [];
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 });
  const context = {
    orderLimits: DEFAULT_ORDER_LIMITS,
    orderSigners: () => null,
    bank: {
      createBody: ourBank.movements.createBody,
      createTransfer: () => {
        throw new Error('it was sent');
      },
    },
    journal: {
      vouchForCreate: (retry: CreateRetry) => {
        asked.push('vouch');
        expect(retry).toMatchObject({ originId, number, journalId });
        return Promise.resolve(isVouched);
      },
      claimRequest: (asks: RequestClaim) => {
        asked.push(asks.onlyIn === undefined ? 'claim' : `claim in ${asks.onlyIn}`);
        return Promise.resolve(claim);
      },
      endBasis: () =>
        Promise.resolve({
          records: linesOf(lines(openedJournal(0), ...sent.map((one) => request(one, 0, 'create'))), 0),
        }),
      recordAnswer: (record: AnswerRecord) => (recorded.push(record), Promise.resolve()),
    },
    limiter: isOpen
      ? limiter
      : { admit: () => (asked.push('limiter'), Promise.resolve({ kind: 'deferred', afterMs: 9 })) },
    settings: DEFAULT_TRANSFER_SETTINGS,
  } as unknown as TransferActivityContext;
  return { context, asked, recorded };
}

const ERROR: RequestError = { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null };

const HELD_BACK: ClaimedRequest = { kind: 'held-back', stop: { at: '', operator: 'ana', reason: 'r' } };

test('a second try that the journal does not vouch for is neither sent, nor held back, nor deferred', async () => {
  const { context, asked } = steps({ isVouched: false });
  expect(await createTransfer(context, () => true)(REQUEST)).toEqual({ kind: 'in-doubt' });
  expect(asked).toEqual(['vouch']);
});

test("a later step's first try is not sent either, if the journal does not vouch for it", async () => {
  const { context, asked } = steps({ isVouched: false });
  expect(await createTransfer(context, () => false)({ ...REQUEST, isRetry: true })).toEqual({
    kind: 'in-doubt',
  });
  expect(asked).toEqual(['vouch']);
});

test('a first try asks only the limiter; a second try asks the journal first, and its deferral is marked as a retry', async () => {
  const first = steps({ isVouched: true });
  expect(await createTransfer(first.context, () => false)(REQUEST)).toEqual({ kind: 'deferred', afterMs: 9 });
  expect(first.asked).toEqual(['limiter']);
  const second = steps({ isVouched: true });
  const deferred = { kind: 'deferred', afterMs: 9, isRetry: true };
  expect(await createTransfer(second.context, () => true)(REQUEST)).toEqual(deferred);
  expect(second.asked).toEqual(['vouch', 'limiter']);
});

test('only the journal that vouched for a second try may grant its number', async () => {
  const first = steps({ isVouched: true, isOpen: true });
  await createTransfer(first.context, () => false)(REQUEST);
  expect(first.asked).toEqual(['claim']);
  const second = steps({ isVouched: true, isOpen: true });
  await createTransfer(second.context, () => true)(REQUEST);
  expect(second.asked).toEqual(['vouch', `claim in ${journalId}`]);
  const withdrawal = steps({ isVouched: true });
  await withdrawTransfer(withdrawal.context)({ ...REQUEST, besideCreate: { journalId } }).catch(() => null);
  expect(withdrawal.asked).toEqual(['vouch', `claim in ${journalId}`]);
});

test('a retry that was deferred finds the create of the lost try: the gap counts from now', async () => {
  const claim = {
    ...({ kind: 'repeated', requestKind: 'create', answer: null } as const),
    ...{ claimAgeMs: 2_000, isOwn: true },
  };
  const { context } = steps({ isVouched: true, isOpen: true, claim });
  const outcome = await createTransfer(context, () => false)({ ...REQUEST, isRetry: true });
  expect(outcome).toMatchObject({ answer: { kind: 'unknown' }, isLost: true });
});

test('a create that the journal does not permit: nothing is sent, and the observer is called', async () => {
  const { context } = steps({ isVouched: true, claim: { kind: 'denied' }, isOpen: true });
  const refused: object[] = [];
  const observer = { createRefused: (it: object) => refused.push(it) };
  const watched = { ...context, observer } as unknown as TransferActivityContext;
  expect(await createTransfer(watched, () => false)(REQUEST)).toEqual({ kind: 'repeat-denied' });
  expect(refused).toEqual([{ originId, number }]);
});

test('a create that the journal does not permit because the bank refused the only one: the run learns the refusal', async () => {
  const refusal = { httpStatus: 422, code: 'E1' };
  const refused: CreateAnswer = { kind: 'refused', ...refusal };
  const notSent: CreateAnswer = { kind: 'not-sent', error: ERROR };
  const outcomeAfter = (...sent: readonly (CreateAnswer | null)[]) =>
    createTransfer(
      steps({ isVouched: true, claim: { kind: 'denied' }, isOpen: true, sent }).context,
      () => false,
    )(REQUEST);
  expect(await outcomeAfter(refused)).toEqual({ kind: 'repeat-denied', refusal });
  expect(await outcomeAfter(notSent, refused)).toEqual({ kind: 'repeat-denied', refusal });
  expect(await outcomeAfter(null, refused)).toEqual({ kind: 'repeat-denied' });
  expect(await outcomeAfter({ kind: 'unknown', error: ERROR })).toEqual({ kind: 'repeat-denied' });
});

test('a withdrawal during a create that the journal does not vouch for leaves that create in doubt', async () => {
  const { context, asked } = steps({ isVouched: false });
  const withdraw = withdrawTransfer(context);
  expect(await withdraw({ ...REQUEST, besideCreate: { journalId } })).toEqual({ kind: 'in-doubt' });
  expect(asked).toEqual(['vouch']);
});

test.each([
  ['withdrawal', { kind: 'granted' }],
  ['create', { kind: 'too-late' }],
  // A look-up does not prove that a create left: the run reads the journal again.
  ['lookup', { kind: 'out-of-order', lastNumber: number }],
] as const)('a withdrawal whose number is already claimed for a %s', async (requestKind, outcome) => {
  const claim = { kind: 'repeated', requestKind, answer: null, claimAgeMs: 0, isOwn: true } as const;
  const { context } = steps({ isVouched: true, claim });
  expect(await withdrawTransfer(context)(REQUEST)).toEqual(outcome);
});

test('a create may leave only while others believe that it may be in flight, also on a machine that was suspended', async () => {
  const claim: ClaimedRequest = {
    ...{
      kind: 'claimed',
      order: ORDER,
      isBelieved: true,
      proof: null,
      openedAt: new Date(),
      lastDigest: null,
    },
    ...{ orderSha256: orderFingerprint(ORDER), claimAgeMs: 10 },
    bodySha256: bodyFingerprint(ourBank.movements.createBody(ORDER)),
  };
  const { context } = steps({ isVouched: true, isOpen: true, claim });
  const told: boolean[] = [];
  const clock = jest.spyOn(Date, 'now');
  const bank = {
    ...context.bank,
    createTransfer: (_: string, { leaveWithinMs }: RequestContext) => {
      const startedAt = Date.now();
      const { createTimeoutMs } = DEFAULT_TRANSFER_SETTINGS;
      for (const ms of [createTimeoutMs, createTimeoutMs + CLAIM_ANSWER_MS + 1, 86_400_000]) {
        clock.mockReturnValue(startedAt + ms);
        told.push((leaveWithinMs?.() ?? 0) > 0);
      }
      return Promise.resolve({
        kind: 'not-sent',
        error: { code: 'X', httpStatus: null, retryAfterMs: null },
      });
    },
  };
  try {
    await createTransfer({ ...context, bank } as unknown as TransferActivityContext, () => false)(REQUEST);
  } finally {
    clock.mockRestore();
  }
  expect(told).toEqual([true, false, false]);
});

describe('another rendering of the order than the one at receipt', () => {
  const claim: ClaimedRequest = {
    ...{
      kind: 'claimed',
      order: ORDER,
      isBelieved: true,
      proof: null,
      openedAt: new Date(0),
      lastDigest: null,
      claimAgeMs: 0,
    },
    orderSha256: orderFingerprint(ORDER),
    bodySha256: bodyFingerprint(CREATE_BODY.replace('100.10', '100.1')),
  };

  test('never leaves: it is recorded as not sent', async () => {
    const { context, recorded } = steps({ isVouched: true, claim, isOpen: true });
    expect(await createTransfer(context, () => false)(REQUEST)).toMatchObject({
      kind: 'answer',
      answer: { kind: 'not-sent', error: { code: 'ANOTHER_BODY' } },
    });
    expect(recorded).toMatchObject([
      { originId, number, answer: { kind: 'not-sent', error: { code: 'ANOTHER_BODY' } } },
    ]);
  });

  const good = { ...claim, bodySha256: bodyFingerprint(CREATE_BODY) };
  test.each([
    ['an order in clear where orders are sealed', 'IN_CLEAR', { ...good, isBelieved: false }, {}],
    [
      'a consistent row under another fingerprint',
      'ANOTHER_ORDER',
      { ...good, orderSha256: orderFingerprint({ ...ORDER, originId: 1 }) },
      {},
    ],
    ['a row that does not open', 'ANOTHER_ORDER', { ...good, order: null }, {}],
    ['a row that holds no order', 'ANOTHER_ORDER', { ...good, order: {} as typeof ORDER }, {}],
    ['an order beyond the limits of today', 'BEYOND_LIMITS', good, { amountMax: '100.09' }],
  ])('%s is not sent either', async (_, code, forged, limits) => {
    const { context } = steps({ isVouched: true, claim: forged, isOpen: true });
    const limited = { ...context, orderLimits: { ...context.orderLimits, ...limits } };
    expect(await createTransfer(limited, () => false)(REQUEST)).toMatchObject({
      answer: { kind: 'not-sent', error: { code } },
    });
  });

  test.each([
    ['the order of another transfer, consistent in itself,', 'ANOTHER_ORDER', 1, proofOf(ORDER)],
    ['an order without a proof', 'PROOF_MISSING', 4711, null],
    ["an order with another order's proof", 'PROOF_WRONG', 4711, proofOf({ ...ORDER, originId: 1 })],
    ['an order by a key that is not listed', 'PROOF_KEY_UNKNOWN', 4711, proofOf(ORDER, PAYROLL)],
  ])('%s is not sent where orders are signed', async (_, code, id, proof) => {
    const claimed = { ...good, proof: await proof, openedAt: new Date(0) };
    const { context } = steps({ isVouched: true, claim: claimed, isOpen: true });
    const signed = { ...context, orderSigners: () => [signerOf(BILLING)] };
    expect(await createTransfer(signed, () => false)({ ...REQUEST, originId: id })).toMatchObject({
      answer: { kind: 'not-sent', error: { code } },
    });
  });

  test('a key that was retired after the receipt proves, one retired before does not; the file may change', async () => {
    const claimed = { ...good, proof: await proofOf(ORDER), openedAt: new Date('2026-03-01T12:00:00Z') };
    const { context } = steps({ isVouched: true, claim: claimed, isOpen: true });
    let notAfter = '2026-03-01T11:00:00.000Z';
    const create = createTransfer(
      { ...context, orderSigners: () => [signerOf(BILLING, { notAfter })] },
      () => false,
    );
    expect(await create(REQUEST)).toMatchObject({ answer: { error: { code: 'PROOF_KEY_RETIRED' } } });
    notAfter = '2026-03-01T13:00:00.000Z';
    await expect(create(REQUEST)).rejects.toThrow('it was sent');
  });

  test('the same bytes do leave', async () => {
    const same = { ...claim, bodySha256: bodyFingerprint(CREATE_BODY) } as ClaimedRequest;
    const { context } = steps({ isVouched: true, claim: same, isOpen: true });
    await expect(createTransfer(context, () => false)(REQUEST)).rejects.toThrow('it was sent');
  });
});
