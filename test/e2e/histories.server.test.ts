import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { stateOf, until } from '../../dev/giro-environment';
import type { TransferActivityContext } from '../../src/activities/context';
import { answerDigest } from '../../src/activities/answer-digest';
import { observeLookup } from '../../src/bank/movements/observation';
import { GiroClient } from '../../src/client';
import type { TransferOrder } from '../../src/domain/order';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { JournalUnavailable } from '../../src/journal/errors';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';

/** Runs every path of a transfer, replays its history at once and may record it (`keepHistory`). */

const environment = useEnvironment({
  rules: [
    { match: { description: 'failed' }, states: ['CREATED', 'IN_PROGRESS', 'FAILED'] },
    { match: { description: 'delayed' }, states: ['CREATED', 'DELAYED', 'DELAYED', 'COMPLETED'] },
    { match: { description: 'new word' }, states: ['CREATED', 'REVIEW', 'COMPLETED'] },
    { match: { description: 'looked up' }, create: ['lost-answer'] },
    { match: { description: 'sent twice' }, create: ['reset', 'ok'] },
    { match: { description: 'refused' }, create: ['http-422'] },
    {
      match: { description: 'held' },
      states: ['CREATED', 'COMPLETED'],
      echo: [{ set: { 'details.amount': 1 }, from: 2, until: 2 }],
    },
    {
      match: { description: 'long' },
      states: ['CREATED', ...Array<string>(31).fill('IN_PROGRESS'), 'COMPLETED'],
    },
    {
      match: { description: 'vanished' },
      states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
      query: ['ok', { fault: 'not-found', times: 12 }],
    },
    { match: { description: 'unauthorized' }, query: [{ fault: 'http-401', times: 13 }] },
    {
      match: { description: 'echo incomplete' },
      states: ['CREATED', 'COMPLETED'],
      echo: [{ omit: ['details.amount'], from: 2, until: 2 }],
    },
    {
      match: { description: 'duplicate' },
      create: ['lost-answer'],
      query: [{ fault: 'not-found', times: 12 }],
      duplicates: 'error',
    },
    {
      match: { description: 'never taken' },
      create: [{ fault: 'http-503', times: 'always' }],
      query: [{ fault: 'not-found', times: 38 }],
    },
    { match: { description: 'decide failed' }, states: ['FAILED'], echo: [{ set: { 'details.amount': 1 } }] },
    {
      match: { description: 'decide refused' },
      states: ['CREATED'],
      echo: [{ set: { 'details.amount': 1 } }],
    },
    { match: { description: 'decide completed' }, states: ['CREATED', 'RETURNED'] },
    { match: { description: 'until restated' }, states: ['IN_PROGRESS'] },
    {
      match: { description: 'several polls' },
      states: ['CREATED', ...Array<string>(3).fill('IN_PROGRESS'), 'COMPLETED'],
    },
  ],
});

/** Starts the order, does `meanwhile`, waits for the end; the order's description is its scenario. */
async function run(description: string, status: string, meanwhile?: (originId: number) => Promise<void>) {
  const { env } = environment();
  const originId = nextOriginId();
  // A held wait would be skipped before the hint or the operators come: those run in real time.
  const inRealTime = description === 'held' || description.startsWith('decide ');
  const giro = inRealTime ? env.giro : env.skipping;
  const { runId } = await giro.startTransfer(orderOf(originId, description));
  await meanwhile?.(originId);
  expect(await env.giro.waitForTransfer(originId)).toMatchObject({ status });
  return { originId, first: env.engine.workflow.getHandle(`transfer-${originId}`, runId) };
}

/** One transfer on a queue of its own, whose worker has parts that fail in a way that no server here does. */
async function runOnOwnWorker(
  change: (parts: TransferActivityContext) => TransferActivityContext,
  description = 'any',
): Promise<{ own: string; first: WorkflowHandle; originId: number }> {
  const { env } = environment();
  const own = `giro-test-${randomUUID()}`;
  const originId = nextOriginId();
  const worker = await env.startWorker({ taskQueue: own, change });
  const giro = new GiroClient({
    client: env.engine,
    taskQueue: own,
    amendStartRequest: (request) => ({
      ...request,
      timeSkippingConfig: { enabled: true, maxSessionSkipCount: 1_000 },
    }),
  });
  try {
    const { runId } = await giro.startTransfer(orderOf(originId, description));
    expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
      status: 'COMPLETED',
    });
    return { own, first: env.engine.workflow.getHandle(`transfer-${originId}`, runId), originId };
  } finally {
    await worker.stop();
  }
}

/** Each update of the index about whether a person is needed, and how long after the start by workflow time. */
async function flaggings(run: WorkflowHandle): Promise<readonly { isFlagged: boolean; afterMs: number }[]> {
  const { events } = await run.fetchHistory();
  const [{ eventTime: start = null } = {}] = events ?? [];
  return (events ?? []).flatMap(({ eventTime, upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
    const data = upsert?.searchAttributes?.indexedFields?.['GiroNeedsAttention']?.data;
    const afterMs = (Number(eventTime?.seconds) - Number(start?.seconds)) * 1_000;
    return data == null ? [] : [{ isFlagged: data.toString() === 'true', afterMs }];
  });
}

const keep = (path: string, handle: WorkflowHandle, taskQueue = environment().taskQueue) =>
  keepHistory(path, handle, taskQueue);

const cancel = (originId: number) => environment().env.giro.cancelTransfer(originId);

describe('the history of each path replays and holds no personal data beside the order', () => {
  it('withdrawn', async () => {
    await environment().worker.stop();
    const { first } = await run('never sent', 'WITHDRAWN', async (originId) => {
      await cancel(originId);
      environment().worker = await environment().env.startWorker();
    });
    await keep('withdrawn', first);
  });

  it.concurrent.each([
    ['completed', 'any', 'COMPLETED'],
    ['failed', 'failed', 'FAILED'],
    ['delayed', 'delayed', 'COMPLETED'],
    ['status-unknown', 'new word', 'COMPLETED'],
    ['looked-up', 'looked up', 'COMPLETED'],
    ['refused', 'refused', 'REFUSED'],
    ['sent-twice', 'sent twice', 'COMPLETED'],
    ['vanished', 'vanished', 'COMPLETED'],
    ['unauthorized', 'unauthorized', 'COMPLETED'],
    ['echo-incomplete', 'echo incomplete', 'COMPLETED'],
    ['duplicate-error', 'duplicate', 'COMPLETED'],
  ])('%s', async (path, description, status) => {
    await keep(path, (await run(description, status)).first);
  });

  it.concurrent('held-then-hinted', async () => {
    const { env } = environment();
    const { first } = await run('held', 'COMPLETED', async (originId) => {
      await until(
        () => stateOf(env, originId),
        ({ phase }) => phase === 'held',
      );
      await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
    });
    await keep('held-then-hinted', first);
  });

  it.concurrent.each([
    ['decided-failed', 'decide failed', 'FAILED', ['accept-not-taken', 'accept-failed', 'accept-failed']],
    ['decided-not-taken', 'decide refused', 'REFUSED', ['accept-not-taken', 'accept-not-taken']],
    ['decided-completed', 'decide completed', 'COMPLETED', ['accept-completed', 'accept-completed']],
    ['resumed', 'held', 'COMPLETED', ['resume']],
  ] as const)('%s', async (path, description, status, actions) => {
    const { env } = environment();
    const { first } = await run(description, status, async (originId) => {
      await until(
        () => stateOf(env, originId),
        ({ mayDecide }) => actions.every((action) => mayDecide.some((one) => one.action === action)),
      );
      for (const [index, action] of actions.entries()) {
        const operator = index === actions.length - 1 ? 'luis' : 'ana';
        await env.giro.decide(originId, { action, operator, reason: 'call with the bank' });
      }
    });
    await keep(path, first);
  });

  it.concurrent('open too long: flagged at that age, asked on, cleared by the end', async () => {
    const { own, first, originId } = await runOnOwnWorker(
      ({ settings, ...rest }) => ({ ...rest, settings: { ...settings, attentionAfterActiveMs: 12_000 } }),
      'several polls',
    );
    const told = await flaggings(first);
    expect(told.map(({ isFlagged }) => isFlagged)).toEqual([true, false]);
    expect(told[0]!.afterMs).toBeGreaterThanOrEqual(12_000);
    // With the first step after that. A busy machine may be late with it, but the default is 15 minutes.
    expect(told[0]!.afterMs).toBeLessThan(600_000);
    expect(await environment().env.journal.transfer(originId)).toMatchObject({ attentionReasons: [] });
    await keep('open-too-long', first, own);
  });

  it.concurrent('cancelled-after-send', async () => {
    const { env } = environment();
    const { first } = await run('until restated', 'COMPLETED', async (originId) => {
      await until(
        () => stateOf(env, originId),
        ({ bankStatus }) => bankStatus !== null,
      );
      await cancel(originId);
      env.bank.book.restate(String(originId), ['IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED']);
    });
    await keep('cancelled-after-send', first);
  });

  it.concurrent('lost run taken up again', async () => {
    const { env } = environment();
    const { first, originId } = await run('until restated', 'COMPLETED', async (id) => {
      await until(
        () => env.journal.transfer(id),
        (record) => record?.bankStatus === 'IN_PROGRESS',
      );
      await env.transfer(id).terminate('lost, for its history');
      await env.skipping.startTransfer(orderOf(id, 'until restated'));
      env.bank.book.restate(String(id), ['COMPLETED']);
    });
    const again = env.transfer(originId);
    expect((await again.describe()).runId).not.toBe((await first.describe()).runId);
    await keep('lost-run-again', again);
  });

  it.concurrent('reset', async () => {
    const { env } = environment();
    const { first, originId } = await run('any', 'COMPLETED');
    const { events } = await first.fetchHistory();
    const tasks = (events ?? []).filter(({ workflowTaskCompletedEventAttributes: task }) => task != null);
    const answer = await env.engine.workflowService.resetWorkflowExecution({
      namespace: env.engine.options.namespace,
      workflowExecution: { workflowId: first.workflowId, runId: (await first.describe()).runId },
      reason: 'an operator tries again',
      requestId: randomUUID(),
      workflowTaskFinishEventId: tasks[Math.floor(tasks.length / 2)]!.eventId!,
    });
    const again = env.engine.workflow.getHandle(`transfer-${originId}`, answer.runId);
    expect(await again.result()).toMatchObject({ status: 'COMPLETED' });
    await keep('reset', again);
  });

  it.concurrent('outcome-unknown', async () => {
    const { env } = environment();
    const originId = nextOriginId();
    const { runId } = await env.skipping.startTransfer(orderOf(originId, 'never taken'));
    await until(
      () => env.journal.transfer(originId),
      (record) => record?.attentionReasons.includes('OUTCOME_UNKNOWN') === true,
    );
    await keep('outcome-unknown', env.engine.workflow.getHandle(`transfer-${originId}`, runId));
    await env.transfer(originId).terminate('test is over');
  });

  it.concurrent('not-sent', async () => {
    const { own, first, originId } = await runOnOwnWorker(({ bank, ...rest }) => {
      let failures = 2;
      return {
        ...rest,
        bank: {
          ...bank,
          createTransfer: (...args) =>
            failures-- > 0
              ? Promise.resolve({
                  kind: 'not-sent',
                  error: { code: 'CONNECTION_REFUSED', httpStatus: null, retryAfterMs: null },
                } as const)
              : bank.createTransfer(...args),
        },
      };
    });
    expect((await environment().env.journal.transfer(originId))?.attempts).toHaveLength(3);
    await keep('not-sent', first, own);
  });

  it.concurrent('answered-late', async () => {
    const { env } = environment();
    // The worker of the first look-up is lost, and records the answer, DELAYED, when the run has stopped waiting for it.
    const { own, first, originId } = await runOnOwnWorker(({ journal, bank, ...rest }) => {
      let lost: { readonly number: number; readonly order: TransferOrder } | null = null;
      return {
        ...{ ...rest, bank },
        journal: {
          ...journal,
          claimRequest: async (claim) => {
            const claimed = await journal.claimRequest(claim);
            if (lost !== null || claim.kind !== 'lookup' || claimed.kind !== 'claimed') return claimed;
            lost = { number: claim.number, order: claimed.order! };
            const { claimAgeMs } = claimed;
            return { kind: 'repeated', requestKind: 'lookup', answer: null, claimAgeMs, isOwn: false };
          },
          recordedAnswer: async (of) => {
            expect(of.number).toBe(lost?.number);
            const reply = await bank.getMovement({ originId: String(of.originId) }, { workflowTime: null });
            const { answer } = observeLookup(lost!.order, reply);
            await journal.recordAnswer({ ...of, answer, digest: answerDigest(answer) });
            return journal.recordedAnswer(of);
          },
        },
      };
    }, 'delayed');
    const [created, late, ...later] = env.bank.book.requests(String(originId));
    expect(late).toMatchObject({ service: 'get-movement', giroTime: null });
    const gapMs = Date.parse(later[0]?.giroTime ?? '') - Date.parse(created?.giroTime ?? '');
    expect(gapMs).toBeGreaterThanOrEqual(DEFAULT_TRANSFER_SETTINGS.pollDelayedMs);
    expect((await env.journal.transfer(originId))?.polls).toBe(1 + later.length);
    await keep('answered-late', first, own);
  });

  it.concurrent('journal away, both runs', async () => {
    // All tries of one step, and then a new run.
    let failures = 25;
    const { own, first, originId } = await runOnOwnWorker(({ journal, ...rest }) => ({
      ...rest,
      journal: {
        ...journal,
        claimRequest: (claim) =>
          claim.kind === 'lookup' && failures-- > 0
            ? Promise.reject(new JournalUnavailable('PostgreSQL is away'))
            : journal.claimRequest(claim),
      },
    }));
    const { runId } = await environment().env.transfer(originId).describe();
    expect(runId).not.toBe((await first.describe()).runId);
    await keep('journal-away', first, own);
    await keep('journal-back', environment().env.transfer(originId), own);
  });

  it.concurrent('continued-as-new, both runs', async () => {
    const { first, originId } = await run('long', 'COMPLETED');
    await keep('continues-as-new', first);
    const { runId } = await environment().env.transfer(originId).describe();
    await keep(
      'continued-as-new',
      environment().env.engine.workflow.getHandle(`transfer-${originId}`, runId),
    );
  });
});
