import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { until } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { bundleOf } from './bundle';

quietRuntime();
jest.setTimeout(300_000);

const taskQueue = `traces-${randomUUID()}`;
const open: (() => Promise<unknown>)[] = [];
let client: Client;

beforeAll(async () => {
  const { temporalAddress: address } = testServers();
  const code = await bundleOf(join(packageRoot, 'test', 'workflows', 'fixtures', 'fails-or-waits.ts'));
  const connection = await Connection.connect({ address });
  const own = await NativeConnection.connect({ address });
  client = new Client({ connection });
  const worker = await Worker.create({ connection: own, taskQueue, workflowBundle: { code } });
  const running = worker.run();
  open.push(
    async () => {
      worker.shutdown();
      await running;
    },
    () => own.close(),
    () => connection.close(),
  );
});
afterAll(async () => {
  for (const close of open) await close();
});

const start = (how: string): Promise<WorkflowHandle> =>
  client.workflow.start('failsOrWaits', { taskQueue, workflowId: `traces-${randomUUID()}`, args: [how] });

async function traceOfFailedTask(handle: WorkflowHandle): Promise<string> {
  const failure = async () => {
    const { events } = await handle.fetchHistory();
    return events?.find((event) => event.workflowTaskFailedEventAttributes)?.workflowTaskFailedEventAttributes
      ?.failure;
  };
  const found = await until(failure, (it) => it !== undefined);
  await handle.terminate();
  return found?.stackTrace ?? '';
}

it.each([
  ['reads nothing', 'TypeError: Cannot read properties of undefined'],
  ['throws', 'Error: thrown on purpose'],
])('an error of a workflow that %s keeps its stack trace: the place and its caller', async (how, message) => {
  const trace = await traceOfFailedTask(await start(how));
  expect(trace).toContain(message);
  expect(trace.match(/^ +at .*fails-or-waits\.ts:\d+/gm)).toHaveLength(2);
});

it('a promise of a waiting workflow has no trace', async () => {
  const handle = await start('waits');
  expect(await handle.query('__stack_trace')).toBe('');
  await handle.terminate();
});
