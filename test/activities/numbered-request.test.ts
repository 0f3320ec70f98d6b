import { CLAIM_ANSWER_MS } from '../../src/domain/transfer/cadence';
import fc from 'fast-check';
import { inTime, REPEATED_STEP, withoutSending } from '../../src/activities/numbered-request';
import type { NumberedRequest } from '../../src/activities/numbered-request';
import type { TransferOrder } from '../../src/domain/order';
import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import type { TransferResult } from '../../src/domain/transfer/result';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { ClaimedRequest } from '../../src/journal/statements/claim-request';

type NotClaimed = Exclude<ClaimedRequest, { kind: 'claimed' }>;

const REQUEST: NumberedRequest = {
  originId: 4711,
  number: 3,
  runId: 'run-1',
  workflowTime: '2026-01-02T03:04:05.000Z',
  lateMs: 0,
  returning: false,
};
const settings = DEFAULT_TRANSFER_SETTINGS;
const NO_ANSWER: LookupAnswer = { kind: 'no-answer', error: REPEATED_STEP };
const UNKNOWN: CreateAnswer = { kind: 'unknown', error: REPEATED_STEP };

const afterLookup = (claim: NotClaimed) =>
  withoutSending<LookupAnswer>(claim, REQUEST, {
    requestKind: 'lookup',
    nothingRecorded: NO_ANSWER,
    timeoutMs: 5_000,
    settings,
  });
const afterCreate = (claim: NotClaimed) =>
  withoutSending<CreateAnswer>(claim, REQUEST, {
    requestKind: 'create',
    nothingRecorded: UNKNOWN,
    timeoutMs: 30_000,
    settings,
  });

const RESULT: TransferResult = {
  originId: 4711,
  status: 'COMPLETED',
  movementId: '77',
  network: null,
  networkId: null,
  amount: { currency: '032', value: '1500.25' },
  annulmentId: null,
  decidedBy: 'bank',
  reason: null,
  orderSha256: 'a'.repeat(64),
};

/** The journal's time-out: a claim that is answered later is refused as late. */
const CLAIM_MS = CLAIM_ANSWER_MS;

describe('a number that was claimed before', () => {
  test('answers with what was recorded, and nothing is in flight', () => {
    const refused: CreateAnswer = { kind: 'refused', httpStatus: 422, code: 'A1' };
    const notFound: LookupAnswer = { kind: 'not-found' };
    const claim = { kind: 'repeated', isOwn: false, claimAgeMs: 10 } as const;
    expect(afterCreate({ ...claim, requestKind: 'create', answer: refused })).toEqual({
      kind: 'answer',
      answer: refused,
      settings,
      inFlightMs: 0,
      claimAgeMs: 10,
    });
    expect(afterLookup({ ...claim, requestKind: 'lookup', answer: notFound })).toEqual({
      kind: 'answer',
      answer: notFound,
      settings,
      inFlightMs: 0,
    });
  });

  // Its answer was lost, not its bytes: for a create that is an unknown outcome, never "not sent".
  test('with nothing recorded is unknown for a create, no answer for a look-up', () => {
    const claim = { kind: 'repeated', isOwn: false, answer: null, claimAgeMs: 0 } as const;
    expect(afterCreate({ ...claim, requestKind: 'create' })).toMatchObject({
      kind: 'answer',
      answer: { kind: 'unknown', error: { code: 'REPEATED_STEP', httpStatus: null } },
      inFlightMs: 30_000 + CLAIM_MS,
    });
    expect(afterLookup({ ...claim, requestKind: 'lookup' })).toMatchObject({
      kind: 'answer',
      answer: { kind: 'no-answer', error: { code: 'REPEATED_STEP', httpStatus: null } },
      inFlightMs: 5_000 + CLAIM_MS,
    });
  });

  test('ends for the gap when the engine has given an earlier try of this very run up', () => {
    const claim = { kind: 'repeated', requestKind: 'create', answer: null, claimAgeMs: 7_000 } as const;
    const after = (isOwn: boolean, isRetried: boolean) =>
      withoutSending<CreateAnswer>({ ...claim, isOwn }, REQUEST, {
        ...{ requestKind: 'create', nothingRecorded: UNKNOWN, timeoutMs: 30_000, settings, isRetried },
      });
    expect(after(true, true)).toMatchObject({ inFlightMs: 23_000 + CLAIM_MS, isLost: true });
    // After a reset, the worker of the run before may still execute the step.
    for (const other of [after(false, true), after(true, false)]) expect(other).not.toHaveProperty('isLost');
  });

  test('may be in flight until the claim and the call have timed out, for no longer and never for a negative time', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100_000 }), (claimAgeMs) => {
        const outcome = afterCreate({
          kind: 'repeated',
          isOwn: false,
          requestKind: 'create',
          answer: null,
          claimAgeMs,
        });
        expect(outcome).toMatchObject({ inFlightMs: Math.max(0, 30_000 + CLAIM_MS - claimAgeMs) });
      }),
    );
  });

  test('as a withdrawal means that the transfer is withdrawn', () => {
    const claim = {
      kind: 'repeated',
      isOwn: false,
      requestKind: 'withdrawal',
      answer: null,
      claimAgeMs: 5,
    } as const;
    expect(afterCreate(claim)).toEqual({ kind: 'withdrawn' });
    expect(afterLookup(claim)).toEqual({ kind: 'withdrawn' });
  });

  test('as another kind of request means another past than this run knows', () => {
    const answer: LookupAnswer = { kind: 'not-found' };
    for (const recorded of [null, answer]) {
      const claim = { kind: 'repeated', isOwn: false, answer: recorded, claimAgeMs: 5 } as const;
      expect(afterCreate({ ...claim, requestKind: 'lookup' })).toEqual({
        kind: 'out-of-order',
        lastNumber: 3,
      });
      expect(afterLookup({ ...claim, requestKind: 'create' })).toEqual({
        kind: 'out-of-order',
        lastNumber: 3,
      });
    }
  });
});

test('a transfer that ended meanwhile gives its result', () => {
  expect(afterLookup({ kind: 'ended', result: RESULT })).toEqual({ kind: 'ended', result: RESULT });
});

test('one that ended without a result was withdrawn', () => {
  expect(afterCreate({ kind: 'ended', result: null })).toEqual({ kind: 'withdrawn' });
});

test('a number out of order is reported with the last one', () => {
  expect(afterCreate({ kind: 'out-of-order', lastNumber: 7 })).toEqual({
    kind: 'out-of-order',
    lastNumber: 7,
  });
});

test('only a withdrawal can be too late', () => {
  expect(() => afterCreate({ kind: 'too-late' })).toThrow('withdrawal');
});

test('a claim that is older than the journal may take to answer is not sent', () => {
  const claimed = {
    kind: 'claimed',
    order: {} as TransferOrder,
    proof: null,
    openedAt: new Date(0),
    bodySha256: '',
    orderSha256: '',
    isBelieved: true,
    lastDigest: null,
  } as const;
  expect(inTime({ ...claimed, claimAgeMs: CLAIM_MS })).toMatchObject({ kind: 'claimed' });
  const late = inTime({ ...claimed, claimAgeMs: CLAIM_MS + 1 });
  expect(late).toEqual({ kind: 'too-old', claimAgeMs: CLAIM_MS + 1 });
  const NEITHER = { kind: 'out-of-order', lastNumber: 0 } as const;
  expect(inTime(NEITHER)).toBe(NEITHER);
});
