import type { History } from '@temporalio/common/lib/proto-utils';

type HistoryEvent = NonNullable<History['events']>[number];

/**
 * What the history of an open run says about its future. `continues`: a timer or a workflow task is pending. `stranded`:
 * nothing is. `hinted`: nothing is, and the last task brought only signals, so a hint has not helped. Pending activities
 * are not looked at: Temporal describes them.
 */
export function outlookOf(events: readonly HistoryEvent[]): 'continues' | 'stranded' | 'hinted' {
  const timers = new Set<number>();
  let isTaskPending = true;
  let isOnlySignals = false;
  let signals = 0;
  let others = 0;
  for (const event of events) {
    if (event.timerStartedEventAttributes != null) timers.add(Number(event.eventId));
    const ended = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    if (ended != null) timers.delete(Number(ended.startedEventId));
    if (event.workflowExecutionSignaledEventAttributes != null) signals += 1;
    else if (isNews(event)) others += 1;
    if (event.workflowTaskScheduledEventAttributes != null) isTaskPending = true;
    if (event.workflowTaskCompletedEventAttributes != null) {
      isTaskPending = false;
      isOnlySignals = signals > 0 && others === 0;
      [signals, others] = [0, 0];
    }
  }
  if (isTaskPending || timers.size > 0) return 'continues';
  return isOnlySignals ? 'hinted' : 'stranded';
}

/** Whether the event brings news to a task, other than a signal. */
const isNews = (event: HistoryEvent): boolean =>
  [
    event.workflowExecutionStartedEventAttributes,
    event.timerFiredEventAttributes,
    event.activityTaskCompletedEventAttributes,
    event.activityTaskFailedEventAttributes,
    event.activityTaskTimedOutEventAttributes,
    event.workflowExecutionCancelRequestedEventAttributes,
    event.workflowExecutionUpdateAcceptedEventAttributes,
  ].some((it) => it != null);
