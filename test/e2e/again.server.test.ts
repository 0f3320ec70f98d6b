import { OriginIdConflictError } from '../../src/client';
import { stateOf, until } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { failureOf, startRaw } from './raw-start';

/** The same originId once more, however it is started: one transfer. */

const POLL_ACTIVE_MS = 5_000;

const environment = useEnvironment({
  // A create without a recorded outcome may be in flight for this long: the run after a lost one waits for that too.
  settings: { createTimeoutMs: 5_000 },
  rules: [
    { match: { description: 'at once' }, states: ['COMPLETED'] },
    { match: { description: 'open' }, states: ['IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED'] },
    { match: { description: 'fails' }, states: ['FAILED'] },
    { match: { description: 'unclear' }, create: ['lost-answer'], states: ['IN_PROGRESS', 'COMPLETED'] },
  ],
});

async function ended(description: string) {
  const { env } = environment();
  const originId = nextOriginId();
  const { runId } = await env.giro.startTransfer(orderOf(originId, description));
  const result = await env.giro.waitForTransfer(originId);
  return { env, originId, runId, result };
}

describe('another order under an originId that is taken', () => {
  it.concurrent('after the first has ended: OriginIdConflict, nothing sent, nothing changed', async () => {
    const { env, originId, result } = await ended('at once');
    const run = await startRaw(environment(), {
      workflowId: `transfer-${originId}`,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      args: [orderOf(originId, 'at once', '1500.26')],
    });
    expect(await failureOf(run)).toEqual({
      type: 'OriginIdConflict',
      nonRetryable: true,
      message: `originId ${originId} belongs to another order; a new payment takes a new originId`,
      details: { originId },
    });
    expect(env.bank.book.requests(String(originId))).toHaveLength(1);
    expect(await env.journal.transfer(originId)).toMatchObject({ result, orderSha256: result.orderSha256 });
  });

  it.concurrent('GiroClient reports it before a run is started, ended or open', async () => {
    const { env, originId, runId } = await ended('at once');
    await expect(env.giro.startTransfer(orderOf(originId, 'at once', '1500.26'))).rejects.toThrow(
      OriginIdConflictError,
    );
    expect((await env.transfer(originId).describe()).runId).toBe(runId);

    const open = nextOriginId();
    await env.giro.startTransfer(orderOf(open, 'open'));
    await expect(env.giro.startTransfer(orderOf(open, 'open', '1500.26'))).rejects.toThrow(
      OriginIdConflictError,
    );
    const { amount, status } = await env.giro.waitForTransfer(open);
    expect({ amount, status }).toEqual({
      amount: { currency: '032', value: '1500.25' },
      status: 'COMPLETED',
    });
  });
});

describe('the same order again', () => {
  it.concurrent.each(['at once', 'fails'])(
    'after its end (%s), as a run of its own: returns the recorded result, the bank is not asked',
    async (description) => {
      const { env, originId, runId, result } = await ended(description);
      const run = await startRaw(environment(), {
        workflowId: `transfer-${originId}`,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // Written in another way: digits spaced, amount as a number.
        args: [
          {
            ...orderOf(originId, description),
            body: { ...orderOf(originId, description).body, amount: 1500.25 },
          },
        ],
      });
      expect(run.firstExecutionRunId).not.toBe(runId);
      expect(await run.result()).toEqual(result);
      expect(env.bank.book.requests(String(originId))).toHaveLength(1);
      const annulments = (await env.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
        (annulment) => annulment.originId === originId,
      );
      expect(annulments).toHaveLength(description === 'fails' ? 1 : 0);
    },
  );

  it.concurrent('while it is open: the same run', async () => {
    const { env } = environment();
    const originId = nextOriginId();
    const order = orderOf(originId, 'open');
    const first = await env.giro.startTransfer(order);
    const second = await env.giro.startTransfer(order);
    expect(second).toEqual({ ...first, started: false });
    expect(first.started).toBe(true);
    await env.giro.waitForTransfer(originId);
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
  });
});

describe('a run that was lost', () => {
  it.concurrent.each([
    ['while the bank was at work', 'open', 'polling'],
    ['while the create was unclear', 'unclear', 'looking-up'],
  ] as const)(
    '%s goes on by look-up, after the full gap, and never creates again',
    async (_, description, phase) => {
      const { env } = environment();
      const originId = nextOriginId();
      const order = orderOf(originId, description);
      await env.giro.startTransfer(order);
      await until(
        () => stateOf(env, originId),
        (view) => view.phase === phase,
      );
      await env.transfer(originId).terminate('lost, for the test');
      const seenBefore = auditRequests(env, originId).length;

      const { started } = await env.giro.startTransfer(order);
      expect(started).toBe(true);
      const { startTime } = await env.transfer(originId).describe();
      const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
      expect(result.status).toBe('COMPLETED');

      const requests = auditRequests(env, originId);
      expect(creates(requests)).toHaveLength(1);
      const first = requests[seenBefore]!;
      expect(first.service).toBe('get-movement');
      expect(first.atMs - startTime.getTime()).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
      for (const { gapMs } of requests.slice(1)) expect(gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    },
  );
});
