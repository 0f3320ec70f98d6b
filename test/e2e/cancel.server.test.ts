import { stateOf, until } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';

const environment = useEnvironment({
  rules: [
    { match: { description: 'sent' }, states: ['CREATED', 'IN_PROGRESS'] },
    {
      match: { description: 'slow create' },
      create: [{ fault: 'slow', delayMs: 2_000 }],
      states: ['CREATED'],
    },
  ],
});

const withdrawn = (originId: number) => ({
  originId,
  status: 'WITHDRAWN',
  movementId: null,
  network: null,
  networkId: null,
  amount: { currency: '032', value: '1500.25' },
  annulmentId: null,
  decidedBy: null,
  reason: 'cancelled before it was sent',
  orderSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
});

/** Started and cancelled while nobody could take it up. */
async function withdraw(originId: number) {
  const { env } = environment();
  await environment().worker.stop();
  await env.giro.startTransfer(orderOf(originId, 'sent'));
  await env.giro.cancelTransfer(originId);
  environment().worker = await env.startWorker();
  return env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
}

describe('a cancel before anything was sent', () => {
  const originId = nextOriginId();

  it('withdraws the transfer: the bank saw nothing, the journal has the result', async () => {
    const { env } = environment();
    const result = await withdraw(originId);
    expect(result).toEqual(withdrawn(originId));
    expect(env.bank.book.requests(String(originId))).toEqual([]);
    expect(await env.journal.transfer(originId)).toMatchObject({ result, attempts: [], polls: 0 });
    expect(await stateOf(env, originId)).toMatchObject({ phase: 'ended', cancelRequested: true, sends: 0 });
  });

  it('stands: the same order again is already there, and another run of it returns the recorded result', async () => {
    const { env, taskQueue } = environment();
    const order = orderOf(originId, 'sent');
    expect(await env.giro.startTransfer(order)).toMatchObject({ originId, started: false });
    const result = await env.giro.waitForTransfer(originId);
    expect(result).toEqual(withdrawn(originId));
    const again = await env.engine.workflow.execute('transfer', {
      workflowId: `transfer-${originId}`,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      taskQueue,
      args: [order],
    });
    expect(again).toEqual(result);
    expect(env.bank.book.requests(String(originId))).toEqual([]);
  });

  it('a cancel that comes after the end changes nothing', async () => {
    const { env } = environment();
    await env.giro.cancelTransfer(originId);
    expect(await env.giro.waitForTransfer(originId)).toEqual(withdrawn(originId));
    expect((await env.journal.transfer(originId))?.result).toEqual(withdrawn(originId));
  });
});

describe('a cancel after the order was sent', () => {
  /** From its next look-up on, the bank reports this status of the transfer. */
  const restate = (originId: number, status: string) =>
    expect(environment().env.bank.book.restate(String(originId), [status])).toBe(true);

  it.concurrent(
    'is noted, and the transfer goes on to COMPLETED; a second cancel changes nothing',
    async () => {
      const { env } = environment();
      const originId = nextOriginId();
      await env.skipping.startTransfer(orderOf(originId, 'sent'));
      await until(
        () => stateOf(env, originId),
        ({ bankStatus }) => bankStatus !== null,
      );
      await env.giro.cancelTransfer(originId);
      const noted = await until(
        () => stateOf(env, originId),
        ({ cancelRequested }) => cancelRequested,
      );
      expect(noted.phase).toBe('polling');
      await env.giro.cancelTransfer(originId);
      const before = auditRequests(env, originId).length;
      restate(originId, 'COMPLETED');
      expect(await env.giro.waitForTransfer(originId)).toMatchObject({ status: 'COMPLETED', reason: null });
      const requests = auditRequests(env, originId);
      expect(creates(requests)).toHaveLength(1);
      expect(requests).toHaveLength(before + 1);
      for (const { gapMs } of requests.slice(1)) expect(gapMs).toBeGreaterThanOrEqual(5_000);
    },
  );

  it.concurrent('does not keep FAILED from its annulment', async () => {
    const { env } = environment();
    const originId = nextOriginId();
    await env.skipping.startTransfer(orderOf(originId, 'sent'));
    await until(
      () => stateOf(env, originId),
      ({ bankStatus }) => bankStatus !== null,
    );
    await env.giro.cancelTransfer(originId);
    await until(
      () => stateOf(env, originId),
      ({ cancelRequested }) => cancelRequested,
    );
    restate(originId, 'FAILED');
    const result = await env.giro.waitForTransfer(originId);
    expect(result.status).toBe('FAILED');
    expect((await env.journal.transfer(originId))?.annulment?.id).toBe(result.annulmentId);
  });

  it.concurrent('during the create it comes too late', async () => {
    const { env } = environment();
    const originId = nextOriginId();
    await env.giro.startTransfer(orderOf(originId, 'slow create'));
    await until(
      () => Promise.resolve(env.bank.book.requests(String(originId))),
      (requests) => requests.length === 1,
    );
    await env.giro.cancelTransfer(originId);
    restate(originId, 'COMPLETED');
    const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    expect(result.status).toBe('COMPLETED');
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
    expect((await stateOf(env, originId)).cancelRequested).toBe(true);
    expect((await env.journal.transfer(originId))?.attempts).toMatchObject([
      { number: 1, outcome: 'answered' },
    ]);
  });
});

describe('a cancel while the bank cannot be reached', () => {
  // The last tests of this file: the bank stays closed.
  beforeAll(() => environment().env.bank.close());

  it('withdraws it after creates that surely were not sent, which the journal lists', async () => {
    const { env } = environment();
    const originId = nextOriginId();
    await env.skipping.startTransfer(orderOf(originId, 'sent'));
    const trying = await until(
      () => env.journal.transfer(originId),
      (record) => (record?.attempts.length ?? 0) >= 2,
    );
    expect(trying?.result).toBeNull();
    await env.giro.cancelTransfer(originId);
    const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    expect(result).toEqual(withdrawn(originId));
    const record = await env.journal.transfer(originId);
    expect(record?.result).toEqual(result);
    expect(new Set(record?.attempts.map(({ outcome }) => outcome))).toEqual(new Set(['not-sent']));
    expect(record?.attempts.map(({ number }) => number)).toEqual(record?.attempts.map((_, i) => i + 1));
    expect(env.bank.book.requests(String(originId))).toEqual([]);
  });
});
