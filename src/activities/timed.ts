import { asyncLocalStorage } from '@temporalio/activity';
import { elapsedSince } from '../journal/elapsed';
import { StepEnds } from './step-ends';

/** What has reached a run when it starts a step. The step's result returns this value, so the history has it. */
export interface Seen {
  /** Temporal's clock, ms since 1970, or the run's time if it is ahead after a request. */
  readonly engineMs: number;
  /**
   * The run started the step while it was rebuilt from its history, so Temporal's clock had the time of an earlier
   * task. The step may be executed long after that time. Absent: false.
   */
  readonly isRecalled?: true;
  /** Length of the history. */
  readonly events: number;
  /** Number of hints since the start of the run, like `decisions`. */
  readonly hints: number;
  readonly decisions: number;
  readonly isCancelled: boolean;
  /** A create of the run is in flight. Absent: false. */
  readonly isSending?: true;
  /** `atMs` of the last step after which a gap is kept. Absent: the run knows the end of its last request. */
  readonly lastEndMs?: number;
}

/** The result of a local activity, and when it ended. */
export type Timed<T> = (T extends object ? T : object) & {
  /**
   * When the step ended, ms since 1970, by Temporal's clock. The true end may be later by the time that the step waited
   * for its worker: at most the time-out of a workflow task.
   */
  readonly atMs: number;
  /** The true end may be later than `atMs`. */
  readonly isUntimed?: true;
  /**
   * The time from the end of the step of `lastEndMs` to the start of this step. Absent: another worker executed that
   * step.
   */
  readonly sinceEndMs?: number;
  readonly seen: Seen;
};

/** A step as a worker receives it. */
export interface GivenStep {
  readonly workflowId: string;
  /** When the worker received the step, by its clock; further tries count from this time. */
  readonly givenMs: number;
  readonly attempt: number;
}

/** One for each process, because it uses the process's clock. */
const endsOfProcess = new StepEnds();

/**
 * Makes a local activity return what the run had seen, when the activity ended, and how long ago the last request
 * ended. A run that relies only on these values decides the same in every replay (`RunClock`). All times are Temporal's
 * time plus durations, because workers' clocks may differ, but durations do not.
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

/** As `timed`, for a step before a gap (`RunClock.resultBeforeGap`). */
export function timedToEnd<Argument, T>(
  activity: (argument: Argument) => Promise<T>,
  step: () => GivenStep = stepOfWorker,
  ends = endsOfProcess,
): (argument: Argument, seen: Seen) => Promise<Timed<T>> {
  const telling = timed(activity, step, ends);
  return async (argument, seen) => {
    const answered = await telling(argument, seen);
    ends.add(step().workflowId, answered.atMs);
    return answered;
  };
}

/** The result of an ordinary activity that makes a request. */
export type Ended<T> = T & {
  /**
   * When the activity ended, ms since 1970, by Temporal's clock; at most `END_DOUBT_MAX_MS` too late, never too early.
   * Absent: the worker cannot tell so exactly.
   */
  readonly endedAtMs?: number;
};

/** An attempt of an ordinary activity, as a worker receives it. */
export interface GivenAttempt {
  readonly workflowId: string;
  /** When Temporal scheduled the attempt, by Temporal's clock. */
  readonly scheduledMs: number;
}

/** As long as a workflow task may take. */
const END_DOUBT_MAX_MS = 10_000;

/**
 * Adds `endedAtMs` to the result of an ordinary activity (`RunClock.beginGapAt`): the time at which Temporal scheduled
 * the attempt, plus an upper bound for the attempt's wait for a worker, plus the attempt's duration. The bound is the
 * time since this process ended a step of the workflow (`sinceAnyMs`). `endedAtMs` is absent if this process remembers
 * no such step, or if the bound and a jump of the wall clock (also: a suspended machine) together exceed
 * `END_DOUBT_MAX_MS`.
 */
export function ended<Argument, T extends object>(
  activity: (argument: Argument) => Promise<T>,
  attempt: () => GivenAttempt = attemptOfWorker,
  ends = endsOfProcess,
): (argument: Argument) => Promise<Ended<T>> {
  return async (argument) => {
    const { workflowId, scheduledMs } = attempt();
    const waitedMs = ends.sinceAnyMs(workflowId);
    const elapsedMs = elapsedSince();
    const startedAt = performance.now();
    const result = await activity(argument);
    const durationMs = elapsedMs();
    const jumpedMs = durationMs - (performance.now() - startedAt);
    return waitedMs === null || waitedMs + jumpedMs > END_DOUBT_MAX_MS
      ? result
      : { ...result, endedAtMs: Math.ceil(scheduledMs + waitedMs + durationMs) };
  };
}

function attemptOfWorker(): GivenAttempt {
  const info = asyncLocalStorage.getStore()?.info;
  return {
    workflowId: info?.workflowExecution?.workflowId ?? '',
    scheduledMs: info?.currentAttemptScheduledTimestampMs ?? Date.now(),
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
