import type { History } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;

/**
 * The history up to the end of its last completed workflow task, for a replay of a run that is open or was terminated:
 * a run refuses to act on later events (`src/workflows/only-in-tasks.ts`). All events if no task was completed.
 */
export function handledEvents(history: History): History {
  const events = history.events ?? [];
  const end = events.findLastIndex(
    (event) =>
      event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED || Object.values(event).some(isCausedByTask),
  );
  return end < 0 ? history : { events: events.slice(0, end + 1) };
}

const isCausedByTask = (attributes: unknown): boolean =>
  typeof attributes === 'object' && attributes !== null && 'workflowTaskCompletedEventId' in attributes;
