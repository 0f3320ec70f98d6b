import { createTransfer } from '../../src/activities/create-transfer';
import { lookUpMovement } from '../../src/activities/look-up-movement';
import type { TransferActivityContext } from '../../src/activities/context';
import type { NumberedLookup } from '../../src/activities/numbered-request';
import type { RequestReport } from '../../src/activities/transfer-observer';
import type { LookupReply } from '../../src/bank/movements/port';
import { BAD_RUN_MAX } from '../../src/bank/limiter/circuit-breaker';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { raise } from '../../src/domain/transfer/flags';
import type { TransferResult } from '../../src/domain/transfer/result';
import { JournalStatementError, JournalUnavailable } from '../../src/journal/errors';
import type { AnswerRecord } from '../../src/journal/statements/record-answer';
import { CREATE_BODY, ORDER } from '../bank/fixtures';

const REQUEST: NumberedLookup = {
  ...{ originId: 4711, number: 2, runId: 'run', workflowTime: '2026-01-02T03:04:05.000Z' },
  ...{ lateMs: 0, returning: false },
};

const COMPLETED: Extract<LookupReply, { kind: 'movement' }> = {
  kind: 'movement',
  movement: {
    ...{ id: '7', status: 'COMPLETED', hasDetails: true, type: null, originId: '4711', amount: '100.11' },
    ...{ currency: '032', network: null, networkId: null, postingAt: null, completedAt: null },
    ...{ destination: { address: null, personIds: [] }, source: { address: null, personIds: [] } },
  },
  ...{ evidenceSha256: 'a'.repeat(64), retryAfterMs: null },
};

const NOT_FOUND: LookupReply = { kind: 'not-found', retryAfterMs: null };

const UNREACHED: LookupReply = {
  kind: 'no-answer',
  error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null },
  isUnsent: true,
};

test('look-ups that time out while connecting open the breaker, and history and journal hear of the error alone', async () => {
  const recorded: AnswerRecord[] = [];
  // Only what this step needs of the ports.
  const context = {
    journal: {
      claimRequest: () =>
        Promise.resolve({ kind: 'claimed', order: {}, bodySha256: '', lastDigest: null, claimAgeMs: 0 }),
      recordAnswer: (record: AnswerRecord) => Promise.resolve(void recorded.push(record)),
    },
    bank: { getMovement: () => Promise.resolve(UNREACHED) },
    settings: DEFAULT_TRANSFER_SETTINGS,
    // The breaker, once open, stays open for the rest of the test.
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 3_600_000 }),
  } as unknown as TransferActivityContext;
  const lookUp = lookUpMovement(context);
  for (let number = 2; number < 2 + BAD_RUN_MAX; number += 1) {
    const outcome = await lookUp({ ...REQUEST, number });
    expect(outcome).toMatchObject({ kind: 'answer', answer: { kind: 'no-answer' } });
    expect(JSON.stringify(outcome)).not.toContain('isUnsent');
  }
  expect(await lookUp({ ...REQUEST, number: 12 })).toMatchObject({ kind: 'deferred' });
  expect(recorded).toHaveLength(BAD_RUN_MAX);
  expect(JSON.stringify(recorded)).not.toContain('isUnsent');
});

test('its number is claimed first, then the bank is asked, once, then the answer is recorded', async () => {
  const calls: string[] = [];
  const noted =
    <T>(name: string, value: T) =>
    () => {
      calls.push(name);
      return Promise.resolve(value);
    };
  const context = {
    journal: {
      claimRequest: noted('claim', {
        ...{ kind: 'claimed', order: {}, bodySha256: '', lastDigest: null, claimAgeMs: 0 },
      }),
      recordAnswer: noted('record', undefined),
    },
    bank: { getMovement: noted('ask', UNREACHED) },
    settings: DEFAULT_TRANSFER_SETTINGS,
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
  } as unknown as TransferActivityContext;
  await lookUpMovement(context)(REQUEST);
  expect(calls).toEqual(['claim', 'ask', 'record']);
});

test.each([
  ['away', new JournalUnavailable('away')],
  ['of another opinion', new JournalStatementError('refused', 'GR002')],
])('a request is reported although the journal, %s, does not take its answer', async (_, error) => {
  const reports: RequestReport[] = [];
  const context = {
    journal: {
      vouchForCreate: () => Promise.resolve(true),
      claimRequest: () =>
        Promise.resolve({
          ...{ kind: 'claimed', order: ORDER, orderSha256: orderFingerprint(ORDER), isBelieved: true },
          ...{ bodySha256: bodyFingerprint(CREATE_BODY), lastDigest: null, claimAgeMs: 0 },
        }),
      recordAnswer: () => Promise.reject(error),
    },
    orderLimits: DEFAULT_ORDER_LIMITS,
    orderSigners: () => null,
    bank: {
      createBody: () => CREATE_BODY,
      createTransfer: () => Promise.resolve({ kind: 'unknown', error: UNREACHED.error }),
      getMovement: () => Promise.resolve(UNREACHED),
    },
    settings: DEFAULT_TRANSFER_SETTINGS,
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
    observer: { requestEnded: (report: RequestReport) => reports.push(report) },
  } as unknown as TransferActivityContext;
  await lookUpMovement(context)(REQUEST).catch(() => undefined);
  await createTransfer(
    context,
    () => false,
  )({ ...REQUEST, journalId: '', isRetry: false }).catch(() => undefined);
  expect(reports).toMatchObject([
    { request: 'get-movement', outcome: 'no-answer', code: 'TIMEOUT' },
    { request: 'create', outcome: 'unknown', code: 'TIMEOUT' },
  ]);
});

test.each([
  ['does not open', null],
  ['holds no order', 5],
  ['holds another order than at receipt', { ...ORDER, body: { ...ORDER.body, amount: '100.11' } }],
])('where the row %s no answer is a match, and the step ends', async (_, order) => {
  const recorded: AnswerRecord[] = [];
  const context = {
    journal: {
      claimRequest: () =>
        Promise.resolve({ kind: 'claimed', order, orderSha256: orderFingerprint(ORDER), lastDigest: null }),
      recordAnswer: (record: AnswerRecord) => Promise.resolve(void recorded.push(record)),
    },
    bank: { getMovement: () => Promise.resolve(COMPLETED) },
    settings: DEFAULT_TRANSFER_SETTINGS,
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
  } as unknown as TransferActivityContext;
  const outcome = await lookUpMovement(context)(REQUEST);
  const answer = { kind: 'movement', movement: { status: 'COMPLETED', echo: 'incomplete' } };
  expect(outcome).toMatchObject({ kind: 'answer', answer });
  expect(recorded).toMatchObject([{ number: 2, answer }]);
});

test('settings are in the answer only if they are not those of the run', async () => {
  const settings = { ...DEFAULT_TRANSFER_SETTINGS, deciders: ['ana'] };
  const context = {
    journal: {
      claimRequest: () => Promise.resolve({ kind: 'claimed', order: null, lastDigest: null }),
      recordAnswer: () => Promise.resolve(),
    },
    bank: { getMovement: () => Promise.resolve(NOT_FOUND) },
    settings,
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
  } as unknown as TransferActivityContext;
  const lookUpOf = (known: TransferState['settings']) =>
    lookUpMovement(context)({
      ...REQUEST,
      before: { state: { ...initialState(4711, 0), settings: known }, startedAtMs: 0 },
    });
  expect(await lookUpOf({ ...settings, deciders: ['ana'] })).toEqual({
    ...{ kind: 'answer', answer: NOT_FOUND, inFlightMs: 0 },
  });
  expect(await lookUpOf(DEFAULT_TRANSFER_SETTINGS)).toMatchObject({ kind: 'answer', settings });
});

test('the recorded answer of an unanswered request comes first; without one, the look-up leaves', async () => {
  const answer = { kind: 'refused', httpStatus: 422, code: null };
  const asked: unknown[] = [];
  const lookUpAfter = async (recorded: unknown) => {
    const context = {
      journal: {
        recordedAnswer: (of: unknown) => Promise.resolve((asked.push(of), recorded)),
        claimRequest: () => Promise.resolve({ kind: 'out-of-order', lastNumber: 1 }),
      },
      settings: DEFAULT_TRANSFER_SETTINGS,
      limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
    } as unknown as TransferActivityContext;
    return lookUpMovement(context)({ ...REQUEST, number: 3, unanswered: 2 });
  };
  const late = { number: 2, requestKind: 'create', answer, claimAgeMs: 9_000, answerAgeMs: 4_000 };
  expect(await lookUpAfter(late)).toEqual({
    ...{ ...late, kind: 'answered-late' },
    settings: DEFAULT_TRANSFER_SETTINGS,
  });
  expect(await lookUpAfter(null)).toEqual({ kind: 'out-of-order', lastNumber: 1 });
  expect(asked).toEqual(Array(2).fill({ originId: 4711, number: 2 }));
});

describe('a look-up whose answer ends the transfer', () => {
  const polling: TransferState = {
    ...initialState(4711, 0),
    ...{ orderSha256: orderFingerprint(ORDER), stage: { name: 'polling' } },
  };
  const answered = (status: string): LookupReply => ({
    ...COMPLETED,
    movement: { ...COMPLETED.movement, status, amount: ORDER.body.amount },
  });

  async function lookUp(
    reply: LookupReply,
    state: TransferState | null,
    journal: Partial<Record<'recordAnswer' | 'recordResult' | 'endBasis', () => Promise<unknown>>> = {},
  ) {
    const calls: string[] = [];
    const context = {
      journal: {
        claimRequest: () =>
          Promise.resolve({
            ...{ kind: 'claimed', order: ORDER, orderSha256: orderFingerprint(ORDER), lastDigest: null },
          }),
        recordAnswer: () => {
          calls.push('answer');
          return journal.recordAnswer?.() ?? Promise.resolve();
        },
        endBasis: journal.endBasis ?? (() => Promise.resolve(null)),
        recordResult: (result: TransferResult) => {
          calls.push(`result ${result.status}`);
          return journal.recordResult?.() ?? Promise.resolve({ result, conflict: false, isNew: true });
        },
      },
      bank: { getMovement: () => Promise.resolve(reply) },
      settings: DEFAULT_TRANSFER_SETTINGS,
      limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
    } as unknown as TransferActivityContext;
    const outcome = await lookUpMovement(context)({
      ...REQUEST,
      ...(state && { before: { state, startedAtMs: 9_000 } }),
    });
    return { calls, outcome };
  }

  test('records the result after the answer, in the same step', async () => {
    const { calls, outcome } = await lookUp(answered('COMPLETED'), polling);
    expect(calls).toEqual(['answer', 'result COMPLETED']);
    expect(outcome).toMatchObject({
      kind: 'answer',
      end: { kind: 'recorded', result: { status: 'COMPLETED', movementId: '7' }, conflict: false },
    });
  });

  test('the twelfth not-found after a refused create ends the transfer as REFUSED', async () => {
    const refused: TransferState = {
      ...{ ...polling, stage: { name: 'looking-up' }, bank: { ...polling.bank, notFoundRun: 11 } },
      sends: { ...polling.sends, count: 1, lastAtMs: 1_000, refusal: { httpStatus: 422, code: null } },
    };
    const { calls, outcome } = await lookUp(NOT_FOUND, refused);
    expect(calls).toEqual(['answer', 'result REFUSED']);
    expect(outcome).toMatchObject({ answer: { kind: 'not-found' }, end: { kind: 'recorded' } });
    const early = { ...refused, sends: { ...refused.sends, lastAtMs: 9_001 } };
    expect((await lookUp(NOT_FOUND, early)).calls).toEqual(['answer']);
  });

  test.each([
    ['a status that is not final', 'IN_PROGRESS', polling],
    ['FAILED, because its annulment is a separate step', 'FAILED', polling],
    ['changed flags, which are recorded first', 'COMPLETED', { ...polling, recordedReasons: ['VANISHED'] }],
    ['a journal conflict', 'COMPLETED', { ...polling, flags: raise({}, 'JOURNAL_CONFLICT', 0) }],
    ['a caller that gives no state', 'COMPLETED', null],
  ])('not with %s', async (_, status, state) => {
    const { calls, outcome } = await lookUp(answered(status), state as TransferState | null);
    expect(calls).toEqual(['answer']);
    expect(outcome).not.toHaveProperty('end');
  });

  test('reports an end that the journal does not show, and a different one that it has', async () => {
    const basis = { orderSha256: 'of another order', amount: null, records: {} };
    const refused = await lookUp(answered('COMPLETED'), polling, { endBasis: () => Promise.resolve(basis) });
    expect(refused.calls).toEqual(['answer']);
    expect(refused.outcome).toMatchObject({ kind: 'answer', end: { kind: 'refused' } });
    const held = { result: { status: 'REFUSED' }, conflict: true, isNew: false };
    const differs = await lookUp(answered('COMPLETED'), polling, {
      recordResult: () => Promise.resolve(held),
    });
    expect(differs.outcome).toMatchObject({ kind: 'answer', end: { ...held, kind: 'recorded' } });
  });

  test('leaves the result to the next step when the look-up took over ten seconds', async () => {
    const startMs = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const takingMs = (ms: number) => {
      clock.mockReturnValue(startMs);
      const recordAnswer = () => Promise.resolve(void clock.mockReturnValue(startMs + ms));
      return lookUp(answered('COMPLETED'), polling, { recordAnswer });
    };
    try {
      expect((await takingMs(9_000)).outcome).toHaveProperty('end');
      const { calls, outcome } = await takingMs(10_001);
      expect(calls).toEqual(['answer']);
      expect(outcome).not.toHaveProperty('end');
    } finally {
      clock.mockRestore();
    }
  });

  test('leaves the result to the next step when the journal is away', async () => {
    const { calls, outcome } = await lookUp(answered('COMPLETED'), polling, {
      recordResult: () => Promise.reject(new Error('away')),
    });
    expect(calls).toEqual(['answer', 'result COMPLETED']);
    expect(outcome).toMatchObject({ kind: 'answer' });
    expect(outcome).not.toHaveProperty('end');
  });
});
