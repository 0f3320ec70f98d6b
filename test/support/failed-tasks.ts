import type { History } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';

const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND } = temporal.api.enums.v1.WorkflowTaskFailedCause;

/**
 * The events of workflow tasks that failed in the worker. Leaves out tasks that ended the run while a message came:
 * Temporal does not accept these, and the next task ends the run.
 */
export const failedTasks = ({ events }: History): readonly temporal.api.history.v1.IHistoryEvent[] =>
  (events ?? []).filter(
    ({ workflowTaskFailedEventAttributes: failed }) =>
      failed != null && failed.cause !== WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  );
