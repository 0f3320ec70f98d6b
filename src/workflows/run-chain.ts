import { workflowInfo } from '@temporalio/workflow';

/**
 * Whether this run continues another one as new, so that what was carried along is ours. A cron or a retry makes a run
 * that follows another one too, with arguments of the caller's.
 */
export function isContinued(): boolean {
  const { continuedFromExecutionRunId, cronSchedule, retryPolicy } = workflowInfo();
  return (
    continuedFromExecutionRunId !== undefined && (cronSchedule ?? '') === '' && retryPolicy === undefined
  );
}
