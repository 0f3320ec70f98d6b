import { asyncLocalStorage } from '@temporalio/activity';
import { elapsedSince } from '../journal/elapsed';
import { StepEnds } from './step-ends';

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
  /** `atMs` of the last step after which a gap is kept; left out when the run knows the end of its last request. */
  readonly lastEndMs?: number;
}

/** What a local activity tells, and when it told it. */
export type Timed<T> = (T extends object ? T : object) & {
  /**
   * When it ended, ms since 1970, by the engine's clock. It may have ended later by what it waited for its worker: at
   * most the time-out of a workflow task.
   */
  readonly atMs: number;
  /** It may have ended later than that, too. */
  readonly isUntimed?: true;
  /** How long before this one began the step of `lastEndMs` had ended; left out by a worker that did not carry it out. */
  readonly sinceEndMs?: number;
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
const endsOfProcess = new StepEnds();

/**
 * Has a local activity tell with its result what the run had seen, when it ended, and how long ago the last request
 * ended. A run that goes by this goes by the same in every replay (`RunClock`). All times are the engine's plus
 * durations: workers' clocks may differ, their durations do not.
 */
export function timed<Argument, T>(
  activity: (argument: Argument) => Promise<T>,
  step: () => GivenStep = stepOfWorker,
  ends = endsOfProcess,
): (argument: Argument, seen: Seen) => Promise<Timed<T>> {
  return async (argument, seen) => {
    const { workflowId, givenMs, attempt } = step();
    const elapsedMs = elapsedSince(givenMs);
    const sinceEndMs = seen.lastEndMs === undefined ? null : ends.sinceMs(workflowId, seen.lastEndMs);
    const result = await activity(argument);
    return {
      ...result,
      atMs: Math.ceil(seen.engineMs + elapsedMs()),
      ...(attempt > 1 || seen.isRecalled === true ? { isUntimed: true } : {}),
      ...(sinceEndMs === null ? {} : { sinceEndMs }),
      seen,
    } as Timed<T>;
  };
}

/** Likewise a step after which a gap is kept (`RunClock.hearToEnd`). */
export function timedToEnd<Argument, T>(
  activity: (argument: Argument) => Promise<T>,
  step: () => GivenStep = stepOfWorker,
  ends = endsOfProcess,
): (argument: Argument, seen: Seen) => Promise<Timed<T>> {
  const telling = timed(activity, step, ends);
  return async (argument, seen) => {
    const told = await telling(argument, seen);
    ends.add(step().workflowId, told.atMs);
    return told;
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
