import type { History } from '@temporalio/common/lib/proto-utils';

type HistoryEvent = NonNullable<History['events']>[number];

/**
 * The last completed workflow task if the history of an open run shows nothing that will continue the run: no timer,
 * and no workflow task after that one. Null: something is pending, or no task has completed. Temporal describes pending
 * activities; the caller looks at them.
 */
export function lastTaskIfNothingIsPending(events: readonly HistoryEvent[]): HistoryEvent | null {
  const timers = new Set<number>();
  let last: HistoryEvent | null = null;
  let isTaskPending = false;
  for (const event of events) {
    if (event.timerStartedEventAttributes != null) timers.add(Number(event.eventId));
    const ended = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    if (ended != null) timers.delete(Number(ended.startedEventId));
    if (event.workflowTaskScheduledEventAttributes != null) isTaskPending = true;
    if (event.workflowTaskCompletedEventAttributes != null) {
      isTaskPending = false;
      last = event;
    }
  }
  return isTaskPending || timers.size > 0 ? null : last;
}
