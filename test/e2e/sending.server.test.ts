import { stateOf, until } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** The emergency brake: creates wait, polls go on. One file: the brake is the whole journal's. */

const environment = useEnvironment({
  rules: [
    { match: { description: 'open' }, states: ['IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED'] },
    { match: { description: 'at once' }, states: ['COMPLETED'] },
    { match: { description: 'lost' }, create: ['reset', 'ok'], states: ['COMPLETED'] },
  ],
});

const set = (stopped: boolean) =>
  environment().env.journal.setSending({ stopped, operator: 'ana', reason: 'the bank asked us to' });

async function waiting(description: string): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, description));
  await until(
    () => stateOf(env, originId),
    (view) => view.sendingStopped !== null,
  );
  return originId;
}

it('creates wait and say so, through a restart of the worker; polls go on; go lets them out', async () => {
  const { env } = environment();
  const asked = nextOriginId();
  await env.giro.startTransfer(orderOf(asked, 'open'));
  await until(
    () => stateOf(env, asked),
    ({ bankStatus }) => bankStatus === 'IN_PROGRESS',
  );
  const { since } = await set(true);
  const originId = await waiting('at once');
  expect(await stateOf(env, originId)).toMatchObject({
    phase: 'sending',
    sends: 0,
    sendingStopped: { at: since, operator: 'ana', reason: 'the bank asked us to' },
    nextPollAt: expect.any(String),
  });
  await environment().worker.stop();
  environment().worker = await env.startWorker();
  expect((await env.giro.waitForTransfer(asked, { timeoutMs: 40_000 })).status).toBe('COMPLETED');
  expect(auditRequests(env, originId)).toEqual([]);
  const description = await env.engine.workflowService.describeWorkflowExecution({
    namespace: env.engine.options.namespace,
    execution: { workflowId: `transfer-${originId}` },
  });
  expect(description.workflowExecutionInfo?.status).toBe(1);

  await set(false);
  await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
  expect((await env.giro.waitForTransfer(originId, { timeoutMs: 10_000 })).status).toBe('COMPLETED');
  expect(creates(auditRequests(env, originId))).toHaveLength(1);
  expect(await stateOf(env, originId)).toMatchObject({ sendingStopped: null });
}, 60_000);

it('a waiting one can be cancelled; one whose run is lost waits on; without a hint it goes by itself', async () => {
  const { env, taskQueue } = environment();
  await set(true);
  const cancelled = await waiting('at once');
  await env.giro.cancelTransfer(cancelled);
  expect((await env.giro.waitForTransfer(cancelled, { timeoutMs: 10_000 })).status).toBe('WITHDRAWN');

  const lost = await waiting('at once');
  await env.transfer(lost).terminate('for the test');
  const workflowId = `giro-recovery-${lost}`;
  expect(await env.engine.workflow.execute('recovery', { workflowId, taskQueue })).toMatchObject({
    recovered: [lost],
  });
  const again = await until(
    () => stateOf(env, lost),
    (view) => view.sendingStopped !== null,
  );
  expect(again.sends).toBe(0);
  await set(false);
  expect((await env.giro.waitForTransfer(lost, { timeoutMs: 40_000 })).status).toBe('COMPLETED');
  expect(creates(auditRequests(env, lost))).toHaveLength(1);
  expect(auditRequests(env, cancelled)).toEqual([]);
}, 90_000);

it('a repeat that was due is looked up meanwhile, and leaves after go (time skipped)', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  await env.skipping.startTransfer(orderOf(originId, 'lost'));
  await until(
    () => stateOf(env, originId),
    ({ sends }) => sends === 1,
  );
  await set(true);
  // Twelve not-founds make the repeat due; held back, it is looked up again.
  await until(
    () => Promise.resolve(auditRequests(env, originId).length),
    (count) => count > 14,
    60_000,
  );
  expect(creates(auditRequests(env, originId))).toHaveLength(1);
  await set(false);
  expect((await env.giro.waitForTransfer(originId, { timeoutMs: 60_000 })).status).toBe('COMPLETED');
  expect(creates(auditRequests(env, originId))).toHaveLength(2);
}, 120_000);
