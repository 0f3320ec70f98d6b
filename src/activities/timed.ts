import { asyncLocalStorage } from '@temporalio/activity';

/** What has reached a run when it asks for a step. The answer brings it back, so that its history tells it. */
export interface Seen {
  /** The engine's clock, ms since 1970. */
  readonly engineMs: number;
  /** Length of the history. */
  readonly events: number;
  /** Messages, counted from the start of the run. */
  readonly hints: number;
  readonly decisions: number;
  readonly isCancelled: boolean;
}

/** What a local activity tells, and when it told it. */
export type Timed<T> = (T extends object ? T : object) & {
  /** When it ended, ms since 1970: by the engine's clock, or a little later. */
  readonly atMs: number;
  readonly seen: Seen;
};

/** A step that begins so much later than the run asked for it was kept up: by its retries, or by a lost worker. */
const KEPT_UP_MS = 1_000;

/**
 * Has a local activity tell with its result what the run had seen, and how late it is now. A run that goes by this goes
 * by the same in every replay (`RunClock`). The time is the engine's, plus how long the step took: workers' clocks may
 * differ, their durations do not. Only for a step that was kept up the worker's own clock counts.
 */
export function timed<Argument, T>(
  activity: (argument: Argument) => Promise<T>,
  startOf = scheduledMs,
): (argument: Argument, seen: Seen) => Promise<Timed<T>> {
  return async (argument, seen) => {
    const fromMs = startOf() ?? Date.now();
    const result = await activity(argument);
    const startedMs = fromMs - seen.engineMs > KEPT_UP_MS ? fromMs : seen.engineMs;
    return { ...result, atMs: startedMs + Math.max(0, Date.now() - fromMs), seen } as Timed<T>;
  };
}

/** When this worker was given the step, by its clock. */
const scheduledMs = (): number | undefined => asyncLocalStorage.getStore()?.info.scheduledTimestampMs;
