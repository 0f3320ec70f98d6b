import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { GRPC, grpcCode } from '../client/engine-errors';
import { StartWorkflowClient } from '../client/start-workflow-client';
import { transferWorkflowId } from '../domain/order';
import { RunRefused } from '../recovery/port';
import type { RunState, TransferRuns } from '../recovery/port';

const CALL_TIMEOUT_MS = 10_000;

/** A word that this version does not know counts as open: nothing is started beside it. */
const STATES: Partial<Record<WorkflowExecutionStatusName, RunState>> = {
  COMPLETED: 'ended',
  FAILED: 'lost',
  CANCELLED: 'lost',
  TERMINATED: 'lost',
  TIMED_OUT: 'lost',
};

/** The engine said no to this very request; another one may pass. */
const REFUSALS: ReadonlySet<number | null> = new Set([GRPC.INVALID_ARGUMENT, GRPC.FAILED_PRECONDITION]);

/** Runs of transfers by describe: exact at once, where the engine's index comes later and may miss one. */
export function transferRuns(client: Client, taskQueue: string): TransferRuns {
  const starter = new StartWorkflowClient(client);
  const within = <T>(call: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);
  return {
    async look(originId) {
      try {
        const handle = client.workflow.getHandle(transferWorkflowId(originId));
        const { status } = await within(() => handle.describe());
        return STATES[status.name] ?? 'open';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'lost';
        throw error;
      }
    },
    async start(order, { afterEnd }) {
      try {
        const { started } = await within(() =>
          starter.startOrAttach('transfer', {
            workflowId: transferWorkflowId(order.originId),
            taskQueue,
            args: [order],
            workflowIdReusePolicy: afterEnd ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
            workflowIdConflictPolicy: 'USE_EXISTING',
          }),
        );
        return started;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        if (REFUSALS.has(grpcCode(error))) throw new RunRefused('the engine refused the start');
        throw error;
      }
    },
  };
}
