import { stateOf, until } from '../../dev/giro-environment';
import { quietRuntime } from '../support/quiet-runtime';
import { auditRequests, creates } from './audit';
import { claimedNumbers } from './claimed-requests';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** Transfers of which nothing was ever sent, without a run, are reconciled: nobody asks, and they stay sendable. */

// Runs are ended in the middle of their tasks, which the worker's core warns of.
quietRuntime({ core: 'ERROR' });

const environment = useEnvironment({
  settings: { pollActiveMs: 500, createTimeoutMs: 3_000 },
  rules: [{ match: { description: 'at once' }, states: ['COMPLETED'] }],
});

const setSending = (stopped: boolean) =>
  environment().env.journal.setSending({ stopped, operator: 'ana', reason: 'the bank asked us to' });

const waits = (originId: number) =>
  until(
    () => stateOf(environment().env, originId),
    (view) => view.sendingStopped !== null,
  );

async function lostUnsent(): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'at once'));
  await waits(originId);
  await env.transfer(originId).terminate('lost, for the test');
  return originId;
}

async function run(workflow: 'recovery' | 'reconciliation', ...args: unknown[]): Promise<unknown> {
  const { env, taskQueue } = environment();
  const workflowId = `giro-${workflow}-${nextOriginId()}`;
  return env.engine.workflow.execute(workflow, { workflowId, taskQueue, args });
}

test('no look-up is claimed for them; they are sent once after go, and a cancel before it is granted', async () => {
  const { env, databaseUrl } = environment();
  await setSending(true);
  const [sent, cancelled] = [await lostUnsent(), await lostUnsent()];

  const asOf = new Date(Math.ceil(Date.now() / 1_000) * 1_000).toISOString();
  expect(await run('reconciliation', { asOf })).toMatchObject({ outcome: 'BREAKS', notAsked: [] });
  const report = await env.journal.report(asOf);
  for (const originId of [sent, cancelled]) {
    const found = report?.breaks.filter((one) => one.originId === originId);
    expect(found).toMatchObject([{ class: 'RUN_LOST', state: 'open' }]);
    expect(await claimedNumbers(databaseUrl, originId)).toEqual([]);
    expect(auditRequests(env, originId)).toEqual([]);
  }

  expect(await run('recovery')).toMatchObject({ failed: [] });
  for (const originId of [sent, cancelled]) expect(await waits(originId)).toMatchObject({ sends: 0 });
  await env.giro.cancelTransfer(cancelled);
  expect((await env.giro.waitForTransfer(cancelled, { timeoutMs: 300_000 })).status).toBe('WITHDRAWN');
  expect(auditRequests(env, cancelled)).toEqual([]);

  await setSending(false);
  await env.giro.hintTransfer(sent, { source: 'test', eventId: '1' });
  expect((await env.giro.waitForTransfer(sent, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
  expect(creates(auditRequests(env, sent))).toHaveLength(1);
  expect((await claimedNumbers(databaseUrl, sent))[0]).toEqual({ number: 1, kind: 'create' });
});
