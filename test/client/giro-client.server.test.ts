import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import {
  GiroClient,
  InvalidTransferOrderError,
  NoWorkerAnswerError,
  OriginIdConflictError,
  ServerUnreachableError,
  TransferNotFoundError,
  TransferRunLostError,
  WaitTimeoutError,
} from '../../src/client';
import type { GiroClientOptions } from '../../src/client';
import { ourBank } from '../../src/bank/our-bank';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import { validateOrder } from '../../src/domain/order-validation';
import { createEveryJournal } from '../../dev/every-identity';
import type { OpenJournal } from '../../src/journal/create-journal';
import { PERSONAL, freshOriginId, order, orderByReference } from '../commands/support/orders';
import { startTestWorker } from '../commands/support/test-worker';
import type { TestWorker } from '../commands/support/test-worker';
import { PATIENT } from '../journal/support/open-test-journal';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';

let connection: Connection;
let client: Client;
let database: TestDatabase;
let open: OpenJournal;

beforeAll(async () => {
  connection = await Connection.connect({ address: testServers().temporalAddress });
  client = new Client({ connection });
  database = await createTestDatabase();
  open = createEveryJournal(database.url, { timeouts: PATIENT });
  await open.journal.advanceSequence(freshOriginId());
});

afterAll(async () => {
  await open.close();
  await database.drop();
  await connection.close();
});

const clientOn = (taskQueue: string, options: Partial<GiroClientOptions> = {}) =>
  new GiroClient({ client, taskQueue, journal: open.journal, ...options });

describe('without a worker', () => {
  const giro = () => clientOn(`nobody-${randomUUID()}`);

  test('the same order twice is one transfer, and only the first call started it', async () => {
    const queue = giro();
    const originId = freshOriginId();
    const first = await queue.startTransfer(order(originId));
    expect(first).toEqual({
      originId,
      reference: null,
      workflowId: `transfer-${originId}`,
      runId: expect.any(String),
      started: true,
    });
    // Equal after normalisation.
    expect(await queue.startTransfer(order(originId, { amount: 1500.25 }))).toEqual({
      ...first,
      started: false,
    });
  });

  test('of many at once exactly one started it', async () => {
    const queue = giro();
    const originId = freshOriginId();
    const all = await Promise.all(Array.from({ length: 10 }, () => queue.startTransfer(order(originId))));
    expect(all.filter(({ started }) => started)).toHaveLength(1);
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(1);
  });

  test('another order under the same originId is a conflict while the first is open', async () => {
    const queue = giro();
    const originId = freshOriginId();
    await queue.startTransfer(order(originId));
    const conflict = await queue
      .startTransfer(order(originId, { amount: '1500.26' }))
      .catch((error: unknown) => error);
    expect(conflict).toBeInstanceOf(OriginIdConflictError);
    for (const value of [...PERSONAL, '1500']) expect(String(conflict)).not.toContain(value);
  });

  test('an order that was accepted under wider limits is still the same order', async () => {
    const queue = giro();
    const originId = freshOriginId();
    const wide = { checkDigits: 'strict', concepts: ['ZZZ'], amountMax: null, fromAccounts: null } as const;
    const limits = {
      ...wide,
      descriptionMaxLength: 500,
      originIdMin: 1,
      originIdMax: Number.MAX_SAFE_INTEGER,
    };
    const long = order(originId, { concept: 'ZZZ', description: 'x'.repeat(300) });
    const started = await clientOn('q', { orderLimits: limits }).startTransfer(long);
    expect(await clientOn('q', { orderLimits: limits }).startTransfer(long)).toEqual({
      ...started,
      started: false,
    });
    await expect(queue.startTransfer(order(originId))).rejects.toThrow(OriginIdConflictError);
  });

  test('a bad order gets nowhere', async () => {
    const originId = freshOriginId();
    const bad = await giro()
      .startTransfer({ ...order(originId, { amount: 0 }), extra: 1 })
      .catch((error: unknown) => error);
    expect(bad).toBeInstanceOf(InvalidTransferOrderError);
    expect((bad as InvalidTransferOrderError).issues.map(({ path }) => path).sort()).toEqual([
      'body.amount',
      'extra',
    ]);
    await expect(giro().transferState(originId)).rejects.toThrow(TransferNotFoundError);
  });

  test('a reference used by two callers at once is one transfer; another order under it is a conflict', async () => {
    const queue = giro();
    const reference = `invoice ${randomUUID()}`;
    const both = await Promise.all([1, 2, 3, 4].map(() => queue.startTransfer(orderByReference(reference))));
    expect(new Set(both.map(({ originId }) => originId)).size).toBe(1);
    expect(both.filter(({ started }) => started)).toHaveLength(1);
    expect(both.map((it) => it.reference)).toEqual([reference, reference, reference, reference]);
    await expect(queue.startTransfer(orderByReference(reference, { amount: '2' }))).rejects.toMatchObject({
      name: 'OriginIdConflictError',
      reference,
    });
  });

  test('a reference is bound to no originId outside the limits: after setup the same order starts', async () => {
    const reference = `invoice ${randomUUID()}`;
    // Beyond every id of this journal's sequence.
    const originIdMin = 10 ** 15 + freshOriginId();
    const limited = clientOn(`nobody-${randomUUID()}`, {
      orderLimits: { ...DEFAULT_ORDER_LIMITS, originIdMin },
    });
    await expect(limited.startTransfer(orderByReference(reference))).rejects.toMatchObject({
      name: 'JournalNotReady',
      message: expect.stringContaining(`run setup --origin-id-from ${originIdMin}`),
    });
    await open.journal.advanceSequence(originIdMin);
    const started = await limited.startTransfer(orderByReference(reference));
    expect(started.originId).toBeGreaterThanOrEqual(originIdMin);
  });

  test('a reference without a journal is a mistake of the program that calls', async () => {
    const giroWithout = new GiroClient({ client, taskQueue: 'q' });
    await expect(giroWithout.startTransfer(orderByReference('r'))).rejects.toThrow('needs the journal');
  });

  test('waiting ends with its time, a query with nobody to answer it', async () => {
    const queue = giro();
    const { originId } = await queue.startTransfer(order(freshOriginId()));
    await expect(queue.waitForTransfer(originId, { timeoutMs: 300 })).rejects.toThrow(WaitTimeoutError);
    await expect(queue.transferState(originId, { timeoutMs: 300 })).rejects.toThrow(NoWorkerAnswerError);
    await queue.hintTransfer(originId, { source: 'test', eventId: '1' });
  });

  test('what the engine does not know is not found', async () => {
    const originId = freshOriginId();
    const queue = giro();
    await expect(queue.waitForTransfer(originId)).rejects.toThrow(TransferNotFoundError);
    await expect(queue.hintTransfer(originId, { source: 'x', eventId: '1' })).rejects.toThrow(
      /no open transfer/,
    );
    await expect(queue.cancelTransfer(originId)).rejects.toThrow(TransferNotFoundError);
  });

  test('a terminated run is no result, and the same order starts again', async () => {
    const queue = giro();
    const first = await queue.startTransfer(order(freshOriginId()));
    await client.workflow.getHandle(first.workflowId).terminate('a test');
    await expect(queue.waitForTransfer(first.originId)).rejects.toThrow(TransferRunLostError);
    const second = await queue.startTransfer(order(first.originId));
    expect(second).toMatchObject({ started: true, originId: first.originId });
    expect(second.runId).not.toBe(first.runId);
  });

  test('an unreachable engine is reported as such', async () => {
    const lost = Connection.lazy({ address: '127.0.0.1:1' });
    const giroOnLost = new GiroClient({ client: new Client({ connection: lost }), callTimeoutMs: 1_000 });
    await expect(giroOnLost.startTransfer(order(freshOriginId()))).rejects.toThrow(ServerUnreachableError);
    await lost.close();
  });
});

describe('with a worker', () => {
  let worker: TestWorker;
  let giro: GiroClient;

  beforeAll(async () => {
    worker = await startTestWorker(database.url, `client-${randomUUID()}`);
    giro = clientOn(worker.taskQueue);
  });
  afterAll(() => worker.stop());

  test('a transfer is started, waited for and seen', async () => {
    const { originId, runId } = await giro.startTransfer(order(freshOriginId()));
    const result = await giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    expect(result).toMatchObject({
      originId,
      status: 'COMPLETED',
      amount: { currency: '032', value: '1500.25' },
    });
    expect(await giro.waitForTransfer(originId, { runId })).toEqual(result);
    expect(await giro.transferState(originId, { timeoutMs: 300_000 })).toMatchObject({
      originId,
      phase: 'ended',
      bankStatus: 'COMPLETED',
      orderSha256: result.orderSha256,
    });
  });

  test('after its end the same order is already there, another one a conflict', async () => {
    const first = await giro.startTransfer(order(freshOriginId()));
    await giro.waitForTransfer(first.originId);
    expect(await giro.startTransfer(order(first.originId))).toEqual({ ...first, started: false });
    await expect(giro.startTransfer(order(first.originId, { concept: 'VAR' }))).rejects.toThrow(
      OriginIdConflictError,
    );
    expect(worker.bank.creates.filter((body) => body.includes(`"originId":${first.originId},`))).toHaveLength(
      1,
    );
  });

  test('an order that only the journal knows: another one under its originId is a conflict at the end of its run', async () => {
    const read = validateOrder(order(freshOriginId()), DEFAULT_ORDER_LIMITS);
    if (!read.ok) throw new Error('the test order is invalid');
    const { originId } = read.order;
    const orderSha256 = orderFingerprint(read.order);
    await open.journal.openTransfer({
      order: read.order,
      orderSha256,
      bodySha256: bodyFingerprint(ourBank.movements.createBody(read.order)),
    });
    const other = await giro.startTransfer(order(originId, { amount: '3.00' }));
    await expect(giro.waitForTransfer(originId, { runId: other.runId })).rejects.toThrow(
      OriginIdConflictError,
    );
    expect(worker.bank.creates.some((body) => body.includes(`"originId":${originId},`))).toBe(false);

    // The refused run is in nobody's way.
    expect(await giro.startTransfer(read.order)).toMatchObject({ originId, started: true });
    expect(await giro.waitForTransfer(originId)).toMatchObject({ status: 'COMPLETED', orderSha256 });
  });

  test('a bound reference whose run is forgotten reports a conflict before a run is started for it', async () => {
    const reference = randomUUID();
    const first = await giro.startTransfer(orderByReference(reference));
    await giro.waitForTransfer(first.originId);
    await expect(giro.startTransfer(orderByReference(reference, { amount: '4' }))).rejects.toMatchObject({
      originId: first.originId,
      reference,
    });
    expect(await giro.startTransfer(orderByReference(reference))).toEqual({ ...first, started: false });
  });

  test('a worker with narrower limits refuses the order, and the caller learns which field', async () => {
    const wide = { amountMax: null, checkDigits: 'strict', fromAccounts: null, concepts: ['ZZZ'] } as const;
    const limits = {
      ...wide,
      descriptionMaxLength: 100,
      originIdMin: 1,
      originIdMax: Number.MAX_SAFE_INTEGER,
    };
    const { originId } = await clientOn(worker.taskQueue, { orderLimits: limits }).startTransfer(
      order(freshOriginId(), { concept: 'ZZZ' }),
    );
    await expect(giro.waitForTransfer(originId)).rejects.toMatchObject({
      name: 'InvalidTransferOrderError',
      issues: [{ path: 'body.concept', rule: expect.any(String) }],
    });
  });
});

test('the start request can be amended', async () => {
  const seen: unknown[] = [];
  const giro = clientOn(`nobody-${randomUUID()}`, {
    amendStartRequest: (request) => {
      seen.push([request.workflowIdReusePolicy, request.workflowIdConflictPolicy]);
      return { ...request, timeSkippingConfig: { enabled: true, maxSessionSkipCount: 3 } };
    },
  });
  await giro.startTransfer(order(freshOriginId()));
  // ALLOW_DUPLICATE_FAILED_ONLY and USE_EXISTING by their numbers in the engine's interface.
  expect(seen).toEqual([[2, 2]]);
});
