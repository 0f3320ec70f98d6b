import {
  CancellationScope,
  condition,
  proxyLocalActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { readClock as readClockActivity } from '../activities/read-clock';
import type { Seen, Timed } from '../activities/timed';

const { readClock } = proxyLocalActivities<{ readClock: typeof readClockActivity }>({
  startToCloseTimeout: '10s',
});

/** Messages that have reached a run since it began, or those of them that it knows. */
export type Messages = Pick<Seen, 'hints' | 'decisions' | 'isCancelled'>;

export interface Inbox {
  /** All that have come. */
  readonly arrived: () => Messages;
  /** They are known from now on. */
  readonly know: (messages: Messages) => void;
}

/**
 * The time that a run decides by, and the messages that it knows: both are in its history word for word. The time is the
 * start of the run, the end of a local activity as its result tells it, or the moment that a timer was for; a message is
 * known when a local activity that was asked for after it has told so. After anything else (an ordinary activity, a
 * message that overrules a wait) a local activity is asked for that alone.
 *
 * Neither the engine's clock (`Date.now()` in a workflow) nor the order in which the SDK hands in messages and results of
 * local activities is the same in a replay. A query that is answered while a local activity runs makes the workflow task
 * end early. Its result then comes with the next task, by that one's time and after the signals and updates that came for
 * it; in a replay it comes by its own time and before them. Tasks that brought nothing but such an end are one task for a
 * replay. And a query that meets a worker without the run in its cache has it built from a history that may end with a
 * timer that fired and no task yet: the SDK lets the run act on it, by the clock of the task before.
 */
export class RunClock {
  #nowMs: number;
  #events = 0;
  readonly #inbox: Inbox;

  /** `knownMs`: the latest time that a run which this one continues knew of. */
  constructor(knownMs: number | null, inbox: Inbox) {
    this.#nowMs = Math.max(workflowInfo().startTime.getTime(), knownMs ?? 0);
    this.#inbox = inbox;
  }

  /** ms since 1970; never goes back. */
  nowMs(): number {
    return this.#nowMs;
  }

  /** The engine's time, or ours if it is later; for what leaves nothing in the history that a replay compares. */
  engineMs(): number {
    return Math.max(Date.now(), this.#nowMs);
  }

  /** Length of the history, as the last local activity told it. */
  events(): number {
    return this.#events;
  }

  /** What a local activity is told, to bring it back. */
  seen(): Seen {
    return { ...this.#inbox.arrived(), engineMs: this.engineMs(), events: workflowInfo().historyLength };
  }

  /**
   * Takes messages and time from what a local activity told. The messages came before it began, and it took a
   * millisecond at least.
   */
  hear<T>(told: Timed<T>): Timed<T> {
    this.#inbox.know(told.seen);
    this.#reach(told);
    return told;
  }

  /** Asks what time it is, and makes known what has come; a cancel does not keep it from the answer. */
  async read(): Promise<void> {
    const told = await CancellationScope.nonCancellable(() =>
      readClock.executeWithOptions({ summary: 'the time' }, [null, this.seen()]),
    );
    // What came during what was before this came before now, and not before that.
    this.#reach(told);
    this.#inbox.know(told.seen);
  }

  /**
   * Sleeps until a moment (ms since 1970), or until what has come makes another plan of it. `summary` stands at the timer
   * in the Temporal UI.
   */
  async sleepUntil(untilMs: number, summary: string, isOverruled: () => boolean): Promise<void> {
    const scope = new CancellationScope();
    const timer = scope.run(() => sleep(Math.max(untilMs - this.#nowMs, 1), { summary })).then(() => true);
    const overruled = scope.run(() => condition(isOverruled));
    try {
      await Promise.race([timer, overruled]);
    } finally {
      scope.cancel();
    }
    // A timer that fired counts, also when a message came with it.
    const isDue = await timer.catch(() => false);
    if (isDue) this.#nowMs = Math.max(this.#nowMs, untilMs);
    else await this.read();
  }

  #reach({ atMs, seen }: Timed<unknown>): void {
    this.#events = seen.events;
    this.#nowMs = Math.max(this.#nowMs + 1, atMs);
  }
}
