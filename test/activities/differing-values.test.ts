import type { TransferActivityContext } from '../../src/activities/context';
import { createTransfer } from '../../src/activities/create-transfer';
import { lookUpMovement } from '../../src/activities/look-up-movement';
import type { RequestReport } from '../../src/activities/transfer-observer';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import { ourBank } from '../../src/bank/our-bank';
import type { Movement, MovementAccount } from '../../src/domain/movement';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { AnswerRecord } from '../../src/journal/statements/record-answer';
import { CREATE_BODY, ORDER } from '../bank/fixtures';

const ACCOUNT = '3220001880500009999902';
const PERSON = '27361705039';
const AS_ORDERED: MovementAccount = { address: ORDER.to.address, personIds: [ORDER.to.owner.personId] };
const ANOTHER: MovementAccount = { address: ACCOUNT, personIds: [PERSON] };

/** A bank that reports this destination, and what journal, history and observer receive. */
function steps({ keepsDiffering = true } = {}) {
  const recorded: AnswerRecord[] = [];
  const told: RequestReport[] = [];
  let lastDigest: string | null = null;
  const movement: { current: Movement } = {
    current: {
      ...{ id: '7', status: 'IN_PROGRESS', hasDetails: true, type: null, originId: '4711', amount: '100.10' },
      ...{ currency: '032', network: null, networkId: null, postingAt: null, completedAt: null },
      ...{ destination: AS_ORDERED, source: { address: null, personIds: [] } },
    },
  };
  const reply = () => ({ movement: movement.current, evidenceSha256: 'a'.repeat(64), retryAfterMs: null });
  const context = {
    journal: {
      keepsDiffering,
      claimRequest: () =>
        Promise.resolve({
          kind: 'claimed',
          order: ORDER,
          isBelieved: true,
          orderSha256: orderFingerprint(ORDER),
          bodySha256: bodyFingerprint(CREATE_BODY),
          lastDigest,
        }),
      recordAnswer: (record: AnswerRecord) => {
        recorded.push(record);
        lastDigest = record.digest;
        return Promise.resolve();
      },
    },
    bank: {
      createBody: ourBank.movements.createBody,
      createTransfer: () => Promise.resolve({ kind: 'answered', ...reply() }),
      getMovement: () => Promise.resolve({ kind: 'movement', ...reply() }),
    },
    orderLimits: DEFAULT_ORDER_LIMITS,
    orderSigners: () => null,
    settings: DEFAULT_TRANSFER_SETTINGS,
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }),
    observer: { requestEnded: (report: RequestReport) => told.push(report) },
  } as unknown as TransferActivityContext;
  const request = {
    ...{ originId: 4711, runId: 'run', workflowTime: '2026-01-02T03:04:05.000Z' },
    ...{ lateMs: 0, returning: false },
  };
  return {
    ...{ recorded, told },
    report: (changes: Partial<Movement>) => (movement.current = { ...movement.current, ...changes }),
    create: () =>
      createTransfer(
        context,
        () => false,
      )({ ...request, number: 1, journalId: '7/00000001', isRetry: false }),
    lookUp: (number: number) => lookUpMovement(context)({ ...request, number }),
  };
}

test('the journal is given what differs; history, digest and observer are not', async () => {
  const bank = steps();
  bank.report({ destination: ANOTHER });
  const outcomes = [await bank.create(), await bank.lookUp(2)];
  expect(bank.recorded.map(({ differing }) => differing?.map(({ reported }) => reported))).toEqual([
    [[ACCOUNT], [PERSON]],
    [[ACCOUNT], [PERSON]],
  ]);
  const answers = bank.recorded.map(({ answer, digest }) => [answer, digest]);
  const beside = JSON.stringify([outcomes, answers, bank.told]);
  expect(beside).toContain('"echo":"mismatch"');
  for (const value of [ACCOUNT, PERSON, ORDER.to.address]) expect(beside).not.toContain(value);
});

test('an answer without news is recorded nevertheless while accounts differ', async () => {
  const bank = steps();
  bank.report({ destination: ANOTHER });
  await bank.create();
  bank.report({ destination: { address: ORDER.from.address, personIds: [PERSON] } });
  await bank.lookUp(2);
  await bank.lookUp(3);
  expect(bank.told.map(({ isNews }) => isNews)).toEqual([true, true, false]);
  expect(bank.recorded.map(({ number, differing }) => [number, differing?.[0]?.reported])).toEqual([
    [1, [ACCOUNT]],
    [2, [ORDER.from.address]],
    [3, [ORDER.from.address]],
  ]);
});

test('a journal that keeps no such values gets no further row while accounts differ', async () => {
  const bank = steps({ keepsDiffering: false });
  bank.report({ destination: ANOTHER });
  await bank.create();
  for (const number of [2, 3, 4]) await bank.lookUp(number);
  expect(bank.recorded.map(({ number }) => number)).toEqual([1, 2]);
  bank.report({ status: 'COMPLETED' });
  await bank.lookUp(5);
  expect(bank.recorded.map(({ number }) => number)).toEqual([1, 2, 5]);
});

test('of a match, and of another amount, nothing is given, and a repetition is not written down', async () => {
  const bank = steps();
  await bank.create();
  await bank.lookUp(2);
  bank.report({ amount: '7' });
  await bank.lookUp(3);
  await bank.lookUp(4);
  expect(bank.recorded.map(({ number, differing = [] }) => [number, differing])).toEqual([
    [1, []],
    [2, []],
    [3, []],
  ]);
});
