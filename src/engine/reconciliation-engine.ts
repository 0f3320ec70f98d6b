import type { Client, WorkflowExecutionDescription, WorkflowExecutionStatusName } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { originIdOfWorkflow, transferWorkflowId } from '../domain/order';
import type { RunEnd, RunState } from '../reconciliation/books';
import type { ReconciliationEngine } from '../reconciliation/port';
import { secondAfter } from '../reconciliation/run-window';
import type { TransferRuns } from '../recovery/port';

const CALL_TIMEOUT_MS = 10_000;
const PAGE_SIZE = 1_000;

const ENDS: Partial<Record<WorkflowExecutionStatusName, RunEnd>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
};

/** `runs` starts lost runs. */
export function reconciliationEngine(
  client: Client,
  taskQueue: string,
  runs: TransferRuns,
): ReconciliationEngine {
  const within = <T>(call: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);
  return {
    async observe(originId) {
      try {
        return stateOf(
          await within(() => client.workflow.getHandle(transferWorkflowId(originId)).describe()),
        );
      } catch (error) {
        return { kind: error instanceof WorkflowNotFoundError ? 'missing' : 'unknown' };
      }
    },
    async started({ from, to, token }) {
      const answer = await within(() =>
        client.workflowService.listWorkflowExecutions({
          namespace: client.options.namespace,
          pageSize: PAGE_SIZE,
          query: `WorkflowType = 'transfer' AND TaskQueue = '${taskQueue.replaceAll("'", "\\'")}' AND StartTime >= '${from}' AND StartTime < '${secondAfter(to)}'`,
          nextPageToken: token === null ? null : Buffer.from(token, 'base64'),
        }),
      );
      const originIds = answer.executions.flatMap(({ execution }) => {
        const originId = originIdOfWorkflow(execution?.workflowId ?? '');
        return originId === null ? [] : [originId];
      });
      const next = Buffer.from(answer.nextPageToken).toString('base64');
      return { originIds: [...new Set(originIds)], token: next === '' ? null : next };
    },
    async hint(originId, eventId) {
      const handle = client.workflow.getHandle(transferWorkflowId(originId));
      await within(() => handle.signal('movementHint', { source: 'reconciliation', eventId })).catch(
        () => undefined,
      );
    },
    async restart(originId, order) {
      await runs
        .observe(originId)
        // Recovery starts a completed run again, after it has recorded that the journal lost requests.
        .then((state) => (state === 'lost' ? runs.start(order, { afterEnd: false }) : false))
        .catch(() => undefined);
    },
  };
}

function stateOf({ status, startTime, closeTime }: WorkflowExecutionDescription): RunState {
  const how = ENDS[status.name];
  return how === undefined
    ? { kind: 'open', startedAt: startTime.toISOString() }
    : { kind: 'closed', how, closedAt: closeTime?.toISOString() ?? null };
}
