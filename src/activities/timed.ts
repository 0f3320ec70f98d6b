import { asyncLocalStorage } from '@temporalio/activity';
import { elapsedSince } from '../journal/elapsed';
import { TaskDelays } from './task-delay';

/** What has reached a run when it asks for a step. The answer brings it back, so that its history tells it. */
export interface Seen {
  /** The engine's clock, ms since 1970, or the run's own if that is ahead after a request. */
  readonly engineMs: number;
  /**
   * The run asks while it is built from its history, and that clock stands at a task of before: the step may be carried
   * out long after. It is left out when it is false.
   */
  readonly isRecalled?: true;
  /** Length of the history. */
  readonly events: number;
  /** Messages, counted from the start of the run. */
  readonly hints: number;
  readonly decisions: number;
  readonly isCancelled: boolean;
  /** A create that the run has asked for has not ended; left out otherwise. */
  readonly isSending?: true;
}

/** What a local activity tells, and when it told it. */
export type Timed<T> = (T extends object ? T : object) & {
  /** When it ended, ms since 1970: by the engine's clock, or a little later. */
  readonly atMs: number;
  /** It may have ended later: its worker cannot know how long it took. */
  readonly isUntimed?: true;
  readonly seen: Seen;
};

/** What a worker knows of a step that it is given. */
export interface GivenStep {
  readonly workflowId: string;
  /** When it was given the step, by its own clock; its further tries count from there. */
  readonly givenMs: number;
  readonly attempt: number;
}

/** Of this process, whose clock it is about. */
const delays = new TaskDelays();

/**
 * Has a local activity tell with its result what the run had seen, and when it ended. A run that goes by this goes by
 * the same in every replay (`RunClock`). The time is the engine's plus durations: workers' clocks may differ, their
 * durations do not. The duration is not known of a step that was tried again or asked for long before, nor of the first
 * one that a worker does for a transfer.
 */
export function timed<Argument, T>(
  activity: (argument: Argument) => Promise<T>,
  step: () => GivenStep = stepOfWorker,
  delaysOf = delays,
): (argument: Argument, seen: Seen) => Promise<Timed<T>> {
  return async (argument, seen) => {
    const { workflowId, givenMs, attempt } = step();
    const elapsedMs = elapsedSince(givenMs);
    const isAskedNow = attempt === 1 && seen.isRecalled === undefined;
    const delayMs = isAskedNow ? delaysOf.of(workflowId, seen.engineMs, elapsedMs()) : null;
    const result = await activity(argument);
    const atMs = Math.ceil(seen.engineMs + (delayMs ?? 0) + elapsedMs());
    return { ...result, atMs, ...(delayMs === null ? { isUntimed: true } : {}), seen } as Timed<T>;
  };
}

function stepOfWorker(): GivenStep {
  const info = asyncLocalStorage.getStore()?.info;
  return {
    workflowId: info?.workflowExecution?.workflowId ?? '',
    givenMs: info?.scheduledTimestampMs ?? Date.now(),
    attempt: info?.attempt ?? 1,
  };
}
