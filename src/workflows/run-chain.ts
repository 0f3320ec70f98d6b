import { workflowInfo } from '@temporalio/workflow';
import type { RunClock } from './run-clock';

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

/** When a run is continued as new: replays stay short, histories small. */
interface RunBounds {
  readonly polls: number;
  readonly events: number;
}

/**
 * The run has made so many polls, or its history has grown so long. The length is the one that its history tells: which
 * one the engine tells at a step may differ in a replay, as its clock may, and so may its advice to continue as new.
 */
export function isLongRun(polls: number, clock: RunClock, bounds: RunBounds): boolean {
  return polls >= bounds.polls || clock.events() >= bounds.events;
}
