import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker } from '@temporalio/worker';
import { stateOf, until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { nextOriginId, orderOf, useEnvironment } from '../e2e/environment';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { openSlowLine } from '../support/slow-line';
import type { SlowLine } from '../support/slow-line';

/**
 * Two workers whose lines to the engine are slow in turns, while each transfer is queried all the time. So a worker
 * often has a run for a query alone, with a timer that fired and no task yet, executes the next step for it, and keeps
 * its own result, while the other worker handles the task. Whoever continues later, the history must replay.
 */
quietRuntime({ core: 'ERROR' });

const TRANSFERS = 12;
const TURNS = 10;
const TURN_MS = 4_000;
const DELAY_MS = 2_000;

const environment = useEnvironment({
  settings: { pollActiveMs: 1_000, pollDelayedMs: 3_000 },
  rules: [{ match: { description: 'open' }, states: Array<string>(90).fill('IN_PROGRESS') }],
});
const scope = new Scope();
afterAll(() => scope.release());

it('runs that are queried at one worker while another one handles their tasks replay', async () => {
  const { env } = environment();
  await environment().worker.stop();
  const lines: SlowLine[] = [];
  const startWorker = async () => {
    const line = scope.own(await openSlowLine(testServers().temporalAddress), (it) => it.close());
    const connection = scope.own(await NativeConnection.connect({ address: line.address }), (it) =>
      it.close(),
    );
    scope.own(await env.startWorker({ connection }), (it) => it.stop());
    lines.push(line);
  };
  await startWorker();
  await startWorker();
  const originIds = Array.from({ length: TRANSFERS }, nextOriginId);
  for (const originId of originIds) await env.giro.startTransfer(orderOf(originId, 'open'));
  const around = { isOver: false };
  const onlookers = originIds.map(async (originId) => {
    while (!around.isOver) {
      await stateOf(env, originId).catch(() => null);
      await sleep(50);
    }
  });
  for (let turn = 0; turn < TURNS; turn += 1) {
    lines.forEach((line, i) => line.delay(turn % 3 === i || turn % 3 === 2 ? DELAY_MS : 0));
    await sleep(TURN_MS);
  }
  for (const line of lines) line.delay(0);
  around.isOver = true;
  await Promise.all(onlookers);

  const histories = await Promise.all(
    originIds.map(async (originId) => ({
      workflowId: `transfer-${originId}`,
      history: await env.transfer(originId).fetchHistory(),
    })),
  );
  const broken: string[] = [];
  const replays = Worker.runReplayHistories(
    { workflowBundle: { codePath: testServers().workflowBundlePath } },
    histories,
  );
  for await (const { workflowId, error } of replays)
    if (error !== undefined) broken.push(`${workflowId}: ${error.message}`);
  expect(broken).toEqual([]);
  for (const originId of originIds) {
    const { polls } = await stateOf(env, originId);
    await until(
      () => stateOf(env, originId),
      (view) => view.polls > polls,
    );
    await env.transfer(originId).terminate('end of the test');
  }
});
