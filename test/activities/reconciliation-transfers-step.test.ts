import { MockActivityEnvironment } from '@temporalio/testing';
import type { ReconciliationContext, StepResult } from '../../src/activities/reconciliation/context';
import { InquiryThrottle } from '../../src/activities/reconciliation/inquiry-throttle';
import { transfersStep } from '../../src/activities/reconciliation/transfers-step';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { TransferResult } from '../../src/domain/transfer/result';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { RunTransfer } from '../../src/journal/statements/run-transfers';
import { startOf } from '../../src/reconciliation/run-cursor';
import { anOrder } from '../journal/support/transfers';

const AS_OF = '2026-03-05T12:00:00Z';
const OPENED_AT = '2026-03-05T11:59:00.000Z';
const [ENDS_MEANWHILE, ASKED] = [1, 2];

const ALL_BUT_DATE: FakeableAPI[] = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const),
  ...(['clearImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const),
];
afterEach(() => jest.useRealTimers());

const transfer = (originId: number, result: TransferResult | null): RunTransfer => {
  const order = anOrder(originId);
  const ids = { movementId: `M${String(originId)}`, networkId: `N${String(originId)}` };
  return {
    ...{ originId, order, recorded: null, askedInRun: null, mayBeAtBank: false, needsNoInquiry: false },
    entry: {
      ...{ originId, openedAt: OPENED_AT, ...ids, movementIds: [ids.movementId], wasDelayed: false },
      ...{ amount: { currency: '032', value: order.body.amount }, from: order.from.address },
      ...{ to: order.to.address, result, finalAt: result === null ? null : OPENED_AT },
      ...{ annulment: null, flags: [], sends: 1 },
    },
    ...{ lastRequest: null, openedAgoMs: 60_000, sameMovementId: [], sameNetworkId: [] },
  };
};

test('a transfer that ends while the step begins is in flight, however long the step then waits for the bank', async () => {
  jest.useFakeTimers({ now: Date.parse(AS_OF), doNotFake: ALL_BUT_DATE });
  const closed = { kind: 'closed', how: 'completed', closedAt: '2026-03-05T12:00:01.000Z' } as const;
  const completed = { status: 'COMPLETED', decidedBy: 'bank' } as TransferResult;
  const context = {
    journal: {
      runPage: () => Promise.resolve([transfer(ENDS_MEANWHILE, null), transfer(ASKED, completed)]),
      sendingState: () => Promise.resolve({ stopped: false }),
      knownBreaks: () => Promise.resolve([]),
      claimInquiry: () =>
        Promise.resolve({
          ...{ kind: 'claimed', as: 'inquiry', number: 1, order: null, result: null, claimAgeMs: 0 },
        }),
      recordInquiry: () => Promise.resolve(null),
    },
    engine: {
      observe: (originId: number) =>
        Promise.resolve(originId === ENDS_MEANWHILE ? closed : { kind: 'missing' }),
      restart: () => Promise.resolve(),
    },
    bank: {
      getMovement: () => {
        // As the limiter makes a step wait while creates and look-ups use the rate.
        jest.setSystemTime(Date.now() + 20 * 60_000);
        return Promise.resolve({ kind: 'not-found' });
      },
    },
    settings: DEFAULT_TRANSFER_SETTINGS,
  } as unknown as ReconciliationContext;
  const throttle = new InquiryThrottle(createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }), {
    ...{ hasGivenUpBefore: false, pollActiveMs: 5_000 },
  });
  const window = { asOf: AS_OF, from: AS_OF, to: AS_OF, isDefault: true, statementId: null };
  const work = { window, cursor: startOf('transfers'), throttle };
  const step: unknown = await new MockActivityEnvironment().run(transfersStep, context, work);
  expect((step as StepResult).checked).toHaveLength(2);
  expect((step as StepResult).found.map(({ subCase }) => subCase)).not.toContain('RUN_COMPLETED');
});
