import { stateOf, until } from '../../dev/giro-environment';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';

/** In a file of its own: the emergency brake holds back every create of its journal. */
const environment = useEnvironment();

it('a create that is held back, then goes', async () => {
  const { env, taskQueue } = environment();
  const set = (stopped: boolean) =>
    env.journal.setSending({ stopped, operator: 'ana', reason: 'the bank asked us to' });
  await set(true);
  const originId = nextOriginId();
  const { runId } = await env.giro.startTransfer(orderOf(originId, 'any'));
  await until(
    () => stateOf(env, originId),
    ({ sendingStopped }) => sendingStopped !== null,
  );
  await set(false);
  await env.giro.hintTransfer(originId, { source: 'sending go', eventId: '1' });
  expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
    status: 'COMPLETED',
  });
  await keepHistory(
    'sending-stopped',
    env.engine.workflow.getHandle(`transfer-${originId}`, runId),
    taskQueue,
  );
});

it('a recovery', async () => {
  const { env, taskQueue } = environment();
  const workflowId = `giro-recovery-${nextOriginId()}`;
  await env.engine.workflow.execute('recovery', { workflowId, taskQueue });
  await keepHistory('recovery', env.engine.workflow.getHandle(workflowId), taskQueue);
});
