import type { History } from '@temporalio/common/lib/proto-utils';

type HistoryEvent = NonNullable<History['events']>[number];

/**
 * What the history of an open run says about its future. `continues`: a timer, an activity or a workflow task is
 * pending. `stranded`: nothing is. `signalled`: nothing is, although the last task brought a signal, and only signals; so
 * a hint would not help.
 */
export function outlookOf(events: readonly HistoryEvent[]): 'continues' | 'stranded' | 'signalled' {
  /** Event ids of the starts of timers and activities. */
  const pending = new Set<string>();
  let isTaskPending = true;
  let isOnlySignals = false;
  let signals = 0;
  let others = 0;
  for (const event of events) {
    if ((event.timerStartedEventAttributes ?? event.activityTaskScheduledEventAttributes) != null)
      pending.add(String(event.eventId));
    const timer = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    const activity = endOfActivity(event);
    if (timer != null) pending.delete(String(timer.startedEventId));
    if (activity != null) pending.delete(String(activity.scheduledEventId));
    if (event.workflowExecutionSignaledEventAttributes != null) signals += 1;
    else if ((timer ?? activity ?? otherNews(event)) != null) others += 1;
    if (event.workflowTaskScheduledEventAttributes != null) isTaskPending = true;
    if (event.workflowTaskCompletedEventAttributes != null) {
      isTaskPending = false;
      isOnlySignals = signals > 0 && others === 0;
      [signals, others] = [0, 0];
    }
  }
  if (isTaskPending || pending.size > 0) return 'continues';
  return isOnlySignals ? 'signalled' : 'stranded';
}

const endOfActivity = (event: HistoryEvent) =>
  event.activityTaskCompletedEventAttributes ??
  event.activityTaskFailedEventAttributes ??
  event.activityTaskTimedOutEventAttributes ??
  event.activityTaskCanceledEventAttributes;

/** What else brings news to a workflow task. */
const otherNews = (event: HistoryEvent) =>
  event.workflowExecutionStartedEventAttributes ??
  event.workflowExecutionCancelRequestedEventAttributes ??
  event.workflowExecutionUpdateAcceptedEventAttributes;
