import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';
import { GracefulShutdownPeriodExpiredError, NativeConnection, Worker } from '@temporalio/worker';
import { until } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { bundleOf } from './bundle';
import type { StepResult } from './steps-on-news';

let isStuck = false;
quietRuntime({ core: 'ERROR', onStuckRun: () => (isStuck = true) });

const RUNS = 40;
const ROUNDS = 2;
/** Of each run, while no worker is there. */
const QUERIES = 4;
/** Of a step: long enough that both workers can be in it. */
const STEP_MS = 500;
/**
 * The first pause between two queries of a run; each further pause is longer. A query during a step costs the run its
 * task. On a slow machine, with equal pauses, each query would come during a step.
 */
const ASKED_AFTER_MS = 1_000;
const PAUSE_GROWTH = 1.3;
/** If no run has progressed for so long, one is stuck, and the SDK has not reported it. */
const UNREPORTED_AFTER_MS = 90_000;
/** Steps that may be executed for a query alone, of 160: half of them before the correction (docs/reliability.md). */
const FOR_QUERIES_ALONE_MAX = 4;
/** Ends a hang. */
const STEP_MAX_MS = 900_000;
jest.setTimeout(3 * STEP_MAX_MS);
/** Longer than a query takes to reach the server. */
const SENT_MS = 500;

const { EVENT_TYPE_WORKFLOW_TASK_STARTED, EVENT_TYPE_WORKFLOW_TASK_FAILED } = temporal.api.enums.v1.EventType;

interface RunningWorker {
  readonly name: string;
  readonly stop: () => Promise<void>;
}

/**
 * A query that waited for a worker may reach another worker than the task that follows it. No run may take a step for a
 * query and continue from that step.
 */
test('a run takes each step in a task of its history, whoever asks it meanwhile', async () => {
  const { temporalAddress: address } = testServers();
  const code = await bundleOf(join(packageRoot, 'test', 'workflows', 'fixtures', 'steps-on-news.ts'));
  const taskQueue = `steps-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const started: { readonly workflowId: string; readonly events: number }[] = [];

  const startWorker = async (name: string): Promise<RunningWorker> => {
    // Workers of one task queue need a connection each.
    const own = await NativeConnection.connect({ address });
    const worker = await Worker.create({
      connection: own,
      taskQueue,
      workflowBundle: { code },
      // Temporal soon stops waiting for a worker that has stopped.
      stickyQueueScheduleToStartTimeout: '1s',
      // A stuck run never drains.
      shutdownForceTime: '10s',
      activities: {
        step: async (events: number): Promise<StepResult> => {
          started.push({ workflowId: activityInfo().workflowExecution!.workflowId, events });
          await sleep(STEP_MS);
          return { worker: name, events };
        },
      },
    });
    const running = worker.run().catch((error: unknown) => {
      if (!(error instanceof GracefulShutdownPeriodExpiredError)) throw error;
    });
    const stop = async () => {
      worker.shutdown();
      await running;
      await own.close();
    };
    return { name, stop };
  };
  let workers: readonly RunningWorker[] = [];
  let progressMs = Date.now();
  /**
   * Replaces the workers if a run is stuck: a worker's process exits then, and is started again. A stuck run that the SDK
   * does not report also needs another worker (docs/reliability.md).
   */
  const replaceStuck = async (): Promise<void> => {
    if (!isStuck && Date.now() - progressMs < UNREPORTED_AFTER_MS) return;
    isStuck = false;
    progressMs = Date.now();
    await Promise.all(workers.map(({ stop }) => stop()));
    workers = await Promise.all(workers.map(({ name }) => startWorker(name)));
  };
  const startBoth = () => Promise.all(['first', 'second'].map(startWorker));

  const handles = await Promise.all(
    Array.from({ length: RUNS }, () =>
      client.workflow.start('stepsOnNews', {
        taskQueue,
        workflowId: `steps-${randomUUID()}`,
        args: [2 * ROUNDS],
      }),
    ),
  );
  const steps = () =>
    Promise.all(
      handles.map((handle) => handle.query<number>('steps').catch((error: unknown) => said(error))),
    );
  const isBehind = (answer: number | string, count: number) => !(Number(answer) >= count);
  const stepped = async (count: number): Promise<void> => {
    let before = RUNS;
    let pauseMs = ASKED_AFTER_MS;
    progressMs = Date.now();
    const isDone = (answers: readonly (number | string)[]) => {
      const behind = answers.filter((it) => isBehind(it, count)).length;
      if (behind < before) progressMs = Date.now();
      before = behind;
      return behind === 0;
    };
    await until(
      async () => {
        await sleep(pauseMs);
        pauseMs *= PAUSE_GROWTH;
        await replaceStuck();
        return steps();
      },
      isDone,
      STEP_MAX_MS,
    ).catch(async (error: unknown) => {
      const answers = await steps();
      const behind = await Promise.all(
        handles.filter((_, index) => isBehind(answers[index] ?? 0, count)).map(lastEvents),
      );
      throw new Error(`runs that have not taken step ${count} end with: ${behind.join('; ')}`, {
        cause: error,
      });
    });
  };
  const tell = () => Promise.all(handles.map((handle) => handle.signal('news')));

  workers = await startBoth();
  await stepped(0);
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(workers.map(({ stop }) => stop()));
    const asked = Promise.all(Array.from({ length: QUERIES }, steps));
    await sleep(SENT_MS);
    await tell();
    workers = await startBoth();
    await asked;
    await stepped(2 * round + 1);
    // The remaining worker may have built a run for a query alone.
    await workers[round % 2]!.stop();
    workers = [workers[1 - (round % 2)]!];
    await tell();
    if (round < ROUNDS - 1) await stepped(2 * round + 2);
  }
  let isOver = false;
  progressMs = Date.now();
  const over = Promise.all(handles.map((handle) => handle.result())).then(() => (isOver = true));
  await until(
    async () => {
      await sleep(ASKED_AFTER_MS);
      await replaceStuck();
      return isOver;
    },
    (it) => it,
    STEP_MAX_MS,
  );
  await over;
  await Promise.all(workers.map(({ stop }) => stop()));

  expect(started.length).toBeGreaterThanOrEqual(2 * ROUNDS * RUNS);
  let forQueriesAlone = 0;
  for (const handle of handles) {
    const history = await handle.fetchHistory();
    expect(eventsOf(history, EVENT_TYPE_WORKFLOW_TASK_FAILED)).toEqual([]);
    const tasks = eventsOf(history, EVENT_TYPE_WORKFLOW_TASK_STARTED);
    // A step of a task may be executed twice: for the task, and elsewhere for a query. Only the former enters the history.
    const own = started.filter(({ workflowId }) => workflowId === handle.workflowId);
    for (const { events } of stepsIn(history)) expect(tasks).toContain(events);
    forQueriesAlone += own.filter(({ events }) => !tasks.includes(events)).length;
    await Worker.runReplayHistory({ workflowBundle: { code } }, history, handle.workflowId);
  }
  expect(forQueriesAlone).toBeLessThanOrEqual(FOR_QUERIES_ALONE_MAX);
  await connection.close();
});

const said = (error: unknown): string =>
  error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);

async function lastEvents(handle: WorkflowHandle): Promise<string> {
  const { events } = await handle.fetchHistory();
  const types = (events ?? []).map(({ eventType }) => temporal.api.enums.v1.EventType[eventType ?? 0]);
  return `${types.length} events, ${types.slice(-12).join(' ')}`;
}

const eventsOf = ({ events }: History, type: temporal.api.enums.v1.EventType): readonly number[] =>
  (events ?? []).filter(({ eventType }) => eventType === type).map(({ eventId }) => Number(eventId));

const stepsIn = ({ events }: History): readonly StepResult[] =>
  (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => {
    const data = marker?.details?.['result']?.payloads?.[0]?.data;
    return data == null ? [] : [JSON.parse(Buffer.from(data).toString()) as StepResult];
  });
