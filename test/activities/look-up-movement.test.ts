import { lookUpMovement } from '../../src/activities/look-up-movement';
import type { TransferActivityContext } from '../../src/activities/context';
import type { LookupReply } from '../../src/bank/movements/port';
import { BAD_RUN_MAX } from '../../src/bank/limiter/circuit-breaker';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import { orderFingerprint } from '../../src/domain/order-fingerprint';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { AnswerRecord } from '../../src/journal/statements/record-answer';
import { ORDER } from '../bank/fixtures';

const COMPLETED: LookupReply = {
  kind: 'movement',
  movement: {
    ...{ id: '7', status: 'COMPLETED', hasDetails: true, type: null, originId: '4711', amount: '100.11' },
    ...{ currency: '032', network: null, networkId: null, postingAt: null, completedAt: null },
    ...{ destination: { address: null, personIds: [] }, source: { address: null, personIds: [] } },
  },
  ...{ evidenceSha256: 'a'.repeat(64), retryAfterMs: null },
};

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
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
  } as unknown as TransferActivityContext;
  const lookUp = lookUpMovement(context);
  const request = {
    ...{ originId: 1, runId: 'run', workflowTime: '2026-01-02T03:04:05.000Z' },
    ...{ lateMs: 0, returning: false },
  };
  for (let number = 2; number < 2 + BAD_RUN_MAX; number += 1) {
    const outcome = await lookUp({ ...request, number });
    expect(outcome).toMatchObject({ kind: 'answer', answer: { kind: 'no-answer' } });
    expect(JSON.stringify(outcome)).not.toContain('isUnsent');
  }
  expect(await lookUp({ ...request, number: 12 })).toMatchObject({ kind: 'deferred' });
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
  await lookUpMovement(context)({
    ...{ originId: 1, number: 2, runId: 'run', workflowTime: '2026-01-02T03:04:05.000Z' },
    ...{ lateMs: 0, returning: false },
  });
  expect(calls).toEqual(['claim', 'ask', 'record']);
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
  const outcome = await lookUpMovement(context)({
    ...{ originId: 4711, number: 2, runId: 'run', workflowTime: '2026-01-02T03:04:05.000Z' },
    ...{ lateMs: 0, returning: false },
  });
  const answer = { kind: 'movement', movement: { status: 'COMPLETED', echo: 'incomplete' } };
  expect(outcome).toMatchObject({ kind: 'answer', answer });
  expect(recorded).toMatchObject([{ number: 2, answer }]);
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
    return lookUpMovement(context)({
      ...{ originId: 4711, number: 3, unanswered: 2, runId: 'run', workflowTime: '2026-01-02T03:04:05.000Z' },
      ...{ lateMs: 0, returning: false },
    });
  };
  const late = { number: 2, requestKind: 'create', answer, claimAgeMs: 9_000, answerAgeMs: 4_000 };
  expect(await lookUpAfter(late)).toEqual({
    ...{ ...late, kind: 'answered-late' },
    settings: DEFAULT_TRANSFER_SETTINGS,
  });
  expect(await lookUpAfter(null)).toEqual({ kind: 'out-of-order', lastNumber: 1 });
  expect(asked).toEqual(Array(2).fill({ originId: 4711, number: 2 }));
});
