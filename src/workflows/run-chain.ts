import { workflowInfo } from '@temporalio/workflow';
import type { RunClock } from './run-clock';

/**
 * Whether this run continues another one as new, so that Giro wrote the carried state. A cron or a retry also starts a
 * run after another one, but with the caller's arguments.
 */
export function isContinued(): boolean {
  const { continuedFromExecutionRunId, cronSchedule, attempt } = workflowInfo();
  return continuedFromExecutionRunId !== undefined && (cronSchedule ?? '') === '' && attempt === 1;
}

/** A run that reaches one of these continues as new, so that replays stay short and histories small. */
interface RunBounds {
  readonly polls: number;
  readonly events: number;
}

/**
 * Whether the run has reached one of its bounds. Uses the recorded length of the history. The length that Temporal
 * reports at a step may differ in a replay, and so may Temporal's clock and its advice to continue as new.
 */
export function isLongRun(polls: number, clock: RunClock, bounds: RunBounds): boolean {
  return polls >= bounds.polls || clock.events() >= bounds.events;
}
