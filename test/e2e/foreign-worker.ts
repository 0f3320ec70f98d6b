import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { packageRoot } from '../../dev/package-root';
import { Scope } from '../../dev/scope';
import type { TransferActivities } from '../../src/activities';
import { testServers } from '../support/servers';
import { bundleOnce } from '../support/workflow-bundle';
import type { TestEnvironment } from './environment';

/**
 * The hand of an administrator of Temporal: schedules an activity of Giro's from a workflow of his own, on a worker of his
 * own, and tells what came of it.
 */
export function useForeignWorker(
  environment: () => TestEnvironment,
): (activity: keyof TransferActivities, argument: unknown) => Promise<unknown> {
  const scope = new Scope();
  const foreignQueue = `foreign-${randomUUID()}`;
  beforeAll(async () => {
    const { temporalAddress, workflowBundlePath } = testServers();
    const bundle = await bundleOnce(join(dirname(workflowBundlePath), 'foreign-workflows.js'), {
      workflowsPath: join(packageRoot, 'test', 'e2e', 'foreign-workflows.ts'),
    });
    const connect = NativeConnection.connect({ address: temporalAddress });
    const connection = scope.own(await connect, (it) => it.close());
    const worker = await Worker.create({
      ...{ connection, taskQueue: foreignQueue, workflowBundle: { codePath: bundle } },
      enableNonLocalActivities: false,
    });
    const running = worker.run();
    scope.own(worker, async (it) => {
      it.shutdown();
      await running;
    });
  }, 60_000);
  afterAll(() => scope.release());

  return (activity, argument) =>
    environment().env.engine.workflow.execute('scheduled', {
      ...{ taskQueue: foreignQueue, workflowId: randomUUID() },
      args: [environment().taskQueue, activity, argument],
    });
}
