import { workflowInfo } from '@temporalio/workflow';
import type { RunClock } from './run-clock';

/**
 * Whether this run continues another one as new, so that the carried state is Giro's. A cron or a retry also makes a
 * run that follows another one, but with the caller's arguments.
 */
export function isContinued(): boolean {
  const { continuedFromExecutionRunId, cronSchedule, retryPolicy } = workflowInfo();
  return (
    continuedFromExecutionRunId !== undefined && (cronSchedule ?? '') === '' && retryPolicy === undefined
  );
}

/** When a run is continued as new: replays stay short, histories small. */
interface RunBounds {
  readonly polls: number;
  readonly events: number;
}

/**
 * Whether the run has reached its polls or its history length. The length is the recorded one: the length that Temporal
 * reports at a step may differ in a replay, like its clock and its advice to continue as new.
 */
export function isLongRun(polls: number, clock: RunClock, bounds: RunBounds): boolean {
  return polls >= bounds.polls || clock.events() >= bounds.events;
}
