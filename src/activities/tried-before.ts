import { asyncLocalStorage } from '@temporalio/activity';

/**
 * Whether this step may have been tried before; outside of Temporal never. `temporal activity reset` sets the number of
 * tries back to 1, but not the time for which the step was first scheduled.
 */
export function wasTriedBefore(): boolean {
  const info = asyncLocalStorage.getStore()?.info;
  return (
    info !== undefined &&
    (info.attempt > 1 || info.currentAttemptScheduledTimestampMs !== info.scheduledTimestampMs)
  );
}
