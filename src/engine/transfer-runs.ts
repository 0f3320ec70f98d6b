import type { Client } from '@temporalio/client';
import { transferLabels } from '../client/run-labels';
import { StartWorkflowClient } from '../client/start-workflow-client';
import { transferWorkflowId } from '../domain/order';
import type { TransferRuns } from '../recovery/port';
import { isEngineAway, lookAtRun, startRun } from './runs';

/** Runs of transfers by describe. */
export function transferRuns(client: Client, taskQueue: string): TransferRuns {
  const starter = new StartWorkflowClient(client);
  return {
    isAway: isEngineAway,
    look: (originId) => lookAtRun(client, transferWorkflowId(originId)),
    start: (order, { afterEnd }) =>
      startRun(client, () =>
        starter.startOrAttach('transfer', {
          workflowId: transferWorkflowId(order.originId),
          taskQueue,
          args: [order],
          ...transferLabels(order.originId),
          workflowIdReusePolicy: afterEnd ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      ),
  };
}
