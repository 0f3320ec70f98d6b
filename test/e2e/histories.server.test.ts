import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import type { WorkflowHandle } from '@temporalio/client';
import { stateOf, until } from '../../dev/giro-environment';
import { VERSION } from '../../src/version';
import { writeHistoryFile } from '../support/history-file';
import { textsBesideTheOrder } from '../support/history-texts';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * Runs every path of a transfer and replays its history at once. With GIRO_RECORD_HISTORIES=1 the histories are
 * written to test/histories, where they stay for later versions (test/workflows/replay.test.ts).
 */
const RECORD = process.env['GIRO_RECORD_HISTORIES'] === '1';

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
      match: { description: 'several polls' },
      states: ['CREATED', ...Array<string>(3).fill('IN_PROGRESS'), 'COMPLETED'],
    },
  ],
});

/** Starts the order, does `meanwhile`, waits for the end; the order's description is its scenario. */
async function run(description: string, status: string, meanwhile?: (originId: number) => Promise<void>) {
  const { env } = environment();
  const originId = nextOriginId();
  // A held wait would be skipped before the hint comes: that one runs in real time.
  const giro = description === 'held' ? env.giro : env.skipping;
  const { runId } = await giro.startTransfer(orderOf(originId, description));
  await meanwhile?.(originId);
  expect(await env.giro.waitForTransfer(originId)).toMatchObject({ status });
  return { originId, first: env.engine.workflow.getHandle(`transfer-${originId}`, runId) };
}

async function keep(path: string, handle: WorkflowHandle): Promise<void> {
  const { taskQueue } = environment();
  const history = await handle.fetchHistory();
  const code = await readFile(testServers().workflowBundlePath, 'utf8');
  await Worker.runReplayHistory({ workflowBundle: { code } }, history, handle.workflowId);
  const personal = textsBesideTheOrder(history).filter(({ text }) => PERSONAL.test(text));
  expect(personal).toEqual([]);
  if (RECORD) await writeHistoryFile(`${VERSION}-${path}.json`, history, taskQueue);
}

/** Accounts, tax ids and names of `orderOf` and of the sandbox bank's answers. */
const PERSONAL = /0009001600000000000017|9990001800000000000017|30714979732|20218346414|Razón/;

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

  it.concurrent('cancelled-after-send', async () => {
    const { env } = environment();
    const { first } = await run('several polls', 'COMPLETED', async (originId) => {
      await until(
        () => stateOf(env, originId),
        ({ bankStatus }) => bankStatus !== null,
      );
      await cancel(originId);
    });
    await keep('cancelled-after-send', first);
  });

  it.concurrent(
    'continued-as-new, both runs',
    async () => {
      const { first, originId } = await run('long', 'COMPLETED');
      await keep('continues-as-new', first);
      const { runId } = await environment().env.transfer(originId).describe();
      await keep(
        'continued-as-new',
        environment().env.engine.workflow.getHandle(`transfer-${originId}`, runId),
      );
    },
    120_000,
  );
});
