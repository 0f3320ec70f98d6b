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

/** Less is rounding: a timer takes its time from a moment after the one that it is reckoned from. */
const RECALLED_BY_MS = 500;
/** The second one is asked for now, whatever the first was. */
const READS_MAX = 2;

/** What has reached a run since it began, or that part of it which the run knows. */
export type Messages = Pick<Seen, 'hints' | 'decisions' | 'isCancelled' | 'isSending'>;

export interface Inbox {
  /** All that have come. */
  readonly arrived: () => Messages;
  /** They are known from now on. */
  readonly know: (messages: Messages) => void;
}

/**
 * The time that a run decides by, and the messages that it knows: both are in its history word for word. The time is the
 * start of the run, the engine's clock as the result of a local activity tells it, the end of a request likewise, or the
 * moment that a timer was for; a message is known when a local activity that was asked for after it has told so. After
 * anything else (an ordinary activity, a message that overrules a wait) a local activity is asked for that alone.
 *
 * No worker's clock decides. The time may be behind the engine's clock.
 *
 * A gap begins when a request has ended. Its step tells the end too early by what it waited for a worker, which nobody
 * can measure. A timer is set after the step, so it keeps the gap. When a message ends the wait, what has passed of the
 * gap is what the worker that carried out both that step and the next one has measured between them. Another worker
 * cannot tell: then as much of the gap counts as not passed as the step can have waited, the time-out of its task.
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
  #gapNowMs: number;
  /** What the last step after which a gap is kept told as its end; null: the end of the last request is known. */
  #lastEndMs: number | null = null;
  #events = 0;
  #isAtTimer = false;
  /** A timer fired for this moment, and the engine's clock stood before it: at a task of before. */
  #recalledUntilMs = 0;
  #localActivities = 0;
  readonly #inbox: Inbox;

  /** `knownMs`: the latest time that a run which this one continues knew of. */
  constructor(knownMs: number | null, inbox: Inbox) {
    this.#nowMs = Math.max(workflowInfo().startTime.getTime(), knownMs ?? 0);
    this.#gapNowMs = this.#nowMs;
    this.#inbox = inbox;
  }

  /** ms since 1970; never goes back. */
  nowMs(): number {
    return this.#nowMs;
  }

  /**
   * The time for what waits for a gap after the last request: between its end, as it was told, and this lies no more than
   * has really passed. ms since 1970; never goes back.
   */
  gapNowMs(): number {
    return this.#gapNowMs;
  }

  /** How much later than it was told the last request may have ended, in ms. */
  endDoubtMs(): number {
    if (this.#lastEndMs === null) return 0;
    return Math.min(Math.max(0, this.#nowMs - this.#lastEndMs), workflowInfo().taskTimeoutMs);
  }

  /** The last request had ended before the last local activity was asked for: the gap after it begins now. */
  beginGap(): void {
    this.#lastEndMs = null;
    this.#gapNowMs = this.#nowMs;
  }

  /** The engine's time, or ours if it is later; for what leaves nothing in the history that a replay compares. */
  engineMs(): number {
    return Math.max(Date.now(), this.#nowMs);
  }

  /**
   * The last that the run waited for was a timer. It fires in a workflow task of its own, and what came before that
   * task is there, in a replay too; beside the result of a local activity it may not be there yet.
   */
  isAtTimer(): boolean {
    return this.#isAtTimer;
  }

  /** Waits for a timer, as briefly as can be. */
  async pause(): Promise<void> {
    await sleep(1, { summary: 'the next task' });
    this.#isAtTimer = true;
  }

  /** Length of the history, as the last local activity told it. */
  events(): number {
    return this.#events;
  }

  /**
   * A local activity runs. An update that comes meanwhile must not be accepted: its acceptance is a command, and when the
   * workflow task has ended early the commands that follow from the local activity come after it, in a replay before it.
   */
  isInStep(): boolean {
    return this.#localActivities > 0;
  }

  /** What a local activity is told, to bring it back. */
  seen(): Seen {
    const isRecalled = workflowInfo().unsafe.isReplaying || Date.now() < this.#recalledUntilMs;
    return {
      ...this.#inbox.arrived(),
      engineMs: this.engineMs(),
      events: workflowInfo().historyLength,
      ...(isRecalled ? { isRecalled } : {}),
      ...(this.#lastEndMs === null ? {} : { lastEndMs: this.#lastEndMs }),
    };
  }

  /**
   * Waits for a local activity, and takes messages and time from what it told; the messages came before it began. How long
   * it took does not count: nothing may become due too early by that.
   */
  async hear<T>(localActivity: Promise<Timed<T>>): Promise<Timed<T>> {
    return this.#heard(await this.#step(localActivity));
  }

  /**
   * Likewise, of a step after which a gap is kept (`isGapKept`; default: always): it counts to its end. When its worker
   * cannot know how long it took, a workflow task that begins after it tells the time.
   */
  async hearToEnd<T>(
    localActivity: Promise<Timed<T>>,
    isGapKept: (told: Timed<T>) => boolean = () => true,
  ): Promise<Timed<T>> {
    const told = await this.#step(localActivity);
    if (!isGapKept(told)) return this.#heard(told);
    this.#inbox.know(told.seen);
    this.#advance(told.seen, told.atMs);
    this.#gapNowMs = this.#nowMs;
    this.#lastEndMs = told.atMs;
    if (told.isUntimed === true) {
      await this.pause();
      await this.read();
      this.beginGap();
    }
    return told;
  }

  /** Asks what time it is, and makes known what has come; a cancel does not keep it from the answer. */
  async read(): Promise<Messages> {
    for (let asked = 1; ; asked += 1) {
      const told = await CancellationScope.nonCancellable(() =>
        this.#step(readClock.executeWithOptions({ summary: 'the time' }, [null, this.seen()])),
      );
      const { seen } = told;
      // What came during what was before this came before now, and not before that.
      this.#reach(told);
      this.#inbox.know(seen);
      if (seen.isRecalled === undefined || asked === READS_MAX) return seen;
    }
  }

  /**
   * Sleeps until a moment (ms since 1970), or until what has come makes another plan of it. `summary` stands at the timer
   * in the Temporal UI.
   */
  async sleepUntil(untilMs: number, summary: string, isOverruled: () => boolean): Promise<void> {
    const scope = new CancellationScope();
    const timer = scope.run(() => sleep(Math.max(untilMs - this.#gapNowMs, 1), { summary })).then(() => true);
    const overruled = scope.run(() => condition(isOverruled));
    try {
      await Promise.race([timer, overruled]);
    } finally {
      scope.cancel();
    }
    // A timer that fired counts, also when a message came with it.
    const isDue = await timer.catch(() => false);
    this.#isAtTimer = isDue;
    if (!isDue) {
      await this.read();
      return;
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    this.#gapNowMs = Math.max(this.#gapNowMs, untilMs);
    if (Date.now() + RECALLED_BY_MS < untilMs) this.#recalledUntilMs = untilMs;
  }

  /** Waits without a timer for what has come. */
  async waitFor(hasCome: () => boolean): Promise<void> {
    await condition(hasCome);
    await this.read();
  }

  async #heard<T>(told: Timed<T>): Promise<Timed<T>> {
    this.#inbox.know(told.seen);
    this.#reach(told);
    if (told.seen.isRecalled === true) await this.read();
    return told;
  }

  /** Waits for a local activity; `isInStep` meanwhile. */
  async #step<T>(localActivity: Promise<T>): Promise<T> {
    this.#localActivities += 1;
    try {
      return await localActivity;
    } finally {
      this.#localActivities -= 1;
    }
  }

  #reach({ seen, sinceEndMs }: Timed<object>): void {
    this.#advance(seen, seen.engineMs);
    const { lastEndMs } = seen;
    if (lastEndMs === undefined) {
      this.#gapNowMs = this.#nowMs;
      return;
    }
    const passedMs = sinceEndMs ?? this.#nowMs - lastEndMs - this.endDoubtMs();
    this.#gapNowMs = Math.max(this.#gapNowMs, lastEndMs + passedMs);
  }

  #advance({ events }: Seen, atMs: number): void {
    this.#events = events;
    this.#isAtTimer = false;
    this.#nowMs = Math.max(this.#nowMs + 1, atMs);
  }
}
