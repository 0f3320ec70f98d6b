import { ServiceError } from '@temporalio/client';
import { OriginIdConflictError, ServerUnreachableError, WaitTimeoutError } from '../../src/client/errors';
import type { StartedTransfer } from '../../src/client';
import { readOrders } from '../../src/commands/support/input/read-orders';
import { shortfall, startExitCode, startReport } from '../../src/commands/support/start-report';
import { startOrders, waitForAll } from '../../src/commands/support/start-orders';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import type { TransferResult, TransferResultStatus } from '../../src/domain/transfer/result';
import { JournalUnavailable } from '../../src/journal/errors';
import { order } from './support/orders';

const ordersOf = (count: number) =>
  readOrders(JSON.stringify(Array.from({ length: count }, (_, i) => order(i + 1))), DEFAULT_ORDER_LIMITS)
    .good;

const started = (originId: number): StartedTransfer => ({
  originId,
  reference: null,
  workflowId: `transfer-${originId}`,
  runId: `run-${originId}`,
  started: true,
});

const result = (originId: number, status: TransferResultStatus): TransferResult => ({
  originId,
  status,
  movementId: null,
  network: null,
  networkId: null,
  amount: { currency: '032', value: '1500.25' },
  annulmentId: null,
  decidedBy: 'bank',
  reason: null,
  orderSha256: '',
});

const originIdOf = (input: unknown): number => (input as { originId: number }).originId;

describe('starting many', () => {
  test('whatever error Temporal reports: the order may have started', async () => {
    const INTERNAL = 13;
    const error = new ServiceError('Failed to start Workflow', {
      cause: Object.assign(new Error('13 INTERNAL'), { code: INTERNAL, details: '', metadata: {} }),
    });
    const outcomes = await startOrders(
      { startTransfer: () => Promise.reject(error) },
      ordersOf(1),
      () => undefined,
    );
    expect(outcomes).toMatchObject([{ kind: 'unknown' }]);
  });

  test('very many orders with one id are refused in time that grows with their number', () => {
    const text = Array.from({ length: 40_000 }, () => JSON.stringify(order(1))).join('\n');
    expect(readOrders(text, DEFAULT_ORDER_LIMITS)).toMatchObject({ count: 40_000, good: [] });
  }, 60_000);

  test('an engine lost in the middle: what is started, unknown and not tried is reported, and the exit code is 4', async () => {
    const orders = ordersOf(200);
    const outcomes = await startOrders(
      {
        startTransfer: (input) =>
          originIdOf(input) < 50
            ? Promise.resolve(started(originIdOf(input)))
            : Promise.reject(new ServerUnreachableError('Temporal at x cannot be reached')),
      },
      orders,
      () => undefined,
    );
    const kinds = outcomes.map(({ kind }) => kind);
    expect(kinds.slice(0, 49)).toEqual(Array.from({ length: 49 }, () => 'started'));
    expect(kinds[49]).toBe('unknown');
    // At most those that were in flight when it was lost.
    expect(kinds.filter((kind) => kind === 'unknown').length).toBeLessThanOrEqual(20);
    expect(kinds.at(-1)).toBe('not-tried');

    expect(startExitCode(outcomes, null)).toBe(4);
    expect(shortfall(outcomes).at(-1)).toMatch(
      /^49 started, \d+ not known whether started, \d+ not tried; repeating the command is safe$/,
    );
    expect(outcomes.map((outcome) => startReport(outcome, null).started)).toEqual(
      kinds.map((kind) => (kind === 'started' ? true : kind === 'unknown' ? null : false)),
    );
  });

  test('a journal that is lost stops the rest; nothing of that order was started', async () => {
    const outcomes = await startOrders(
      { startTransfer: () => Promise.reject(new JournalUnavailable('PostgreSQL at x cannot be reached')) },
      ordersOf(60),
      () => undefined,
    );
    expect(outcomes[0]).toMatchObject({ kind: 'not-started' });
    expect(outcomes.at(-1)).toMatchObject({ kind: 'not-tried' });
    expect(startExitCode(outcomes, null)).toBe(4);
  });

  test('a conflict keeps none of the others', async () => {
    const outcomes = await startOrders(
      {
        startTransfer: (input) =>
          originIdOf(input) === 2
            ? Promise.reject(new OriginIdConflictError(2))
            : Promise.resolve({ ...started(originIdOf(input)), started: originIdOf(input) === 1 }),
      },
      ordersOf(3),
      () => undefined,
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['started', 'refused', 'already-there']);
    expect(startExitCode(outcomes, null)).toBe(2);
    expect(shortfall(outcomes)).toEqual([
      'order 2, line 1: originId 2 belongs to another order; a new payment takes a new originId',
      '1 started, 1 already there, 1 refused',
    ]);
    expect(startReport(outcomes[1]!, null)).toEqual({
      originId: 2,
      reference: null,
      workflowId: null,
      runId: null,
      started: false,
      error: { type: 'OriginIdConflictError', message: expect.stringContaining('originId 2') },
    });
  });

  test('a bug of ours is not taken for an answer about the order', async () => {
    const outcomes = await startOrders(
      { startTransfer: () => Promise.reject(new TypeError('x is not a function')) },
      ordersOf(1),
      () => undefined,
    );
    expect(startExitCode(outcomes, null)).toBe(1);
  });
});

describe('waiting for all', () => {
  const wait = (statuses: readonly (TransferResultStatus | Error)[], timeoutMs: number | null = null) => {
    const transfers = statuses.map((_, i) => started(i));
    const asked: (number | undefined)[] = [];
    const giro = {
      waitForTransfer: (originId: number, options: { timeoutMs?: number } = {}) => {
        asked.push(options.timeoutMs);
        const status = statuses[originId]!;
        return status instanceof Error ? Promise.reject(status) : Promise.resolve(result(originId, status));
      },
    };
    return waitForAll(giro, transfers, timeoutMs, () => undefined).then((waits) => ({ waits, asked }));
  };

  test.each([
    [['COMPLETED', 'COMPLETED'], 0],
    [['COMPLETED', 'FAILED'], 3],
    [['WITHDRAWN'], 3],
    [['REFUSED'], 3],
    [['FAILED', new WaitTimeoutError(1, 1_000), 'COMPLETED'], 5],
    [['FAILED', new ServerUnreachableError('lost')], 4],
    [[new OriginIdConflictError(0)], 2],
  ] as const)('%j: exit %d', async (statuses, code) => {
    const { waits } = await wait(statuses);
    expect(startExitCode([], waits)).toBe(code);
  });

  test('one that is still open: reported with the requested time-out', async () => {
    const { waits } = await wait([new WaitTimeoutError(0, 1_999)], 2_000);
    expect([...waits.values()]).toMatchObject([
      { kind: 'no-result', error: { message: 'transfer 0 is still open after 2 s' } },
    ]);
  });

  test('without a time-out each waits as long as it takes; with one, for what is left of it', async () => {
    expect((await wait(['COMPLETED', 'COMPLETED'])).asked).toEqual([undefined, undefined]);
    const { asked } = await wait(
      Array.from({ length: 3 }, () => 'COMPLETED'),
      60_000,
    );
    for (const timeoutMs of asked) {
      expect(timeoutMs).toBeGreaterThan(30_000);
      expect(timeoutMs).toBeLessThanOrEqual(60_000);
    }
  });
});
