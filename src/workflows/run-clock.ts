import {
  CancellationScope,
  condition,
  proxyLocalActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { readClock as readClockActivity } from '../activities/read-clock';
import type { Seen, Timed } from '../activities/timed';
import { LOCAL_RETRY } from './local-retry';

const { readClock } = proxyLocalActivities<{ readClock: typeof readClockActivity }>({
  startToCloseTimeout: '10s',
  ...LOCAL_RETRY,
});

/** Smaller differences are rounding: a timer starts slightly after the moment from which its duration was computed. */
const AHEAD_BY_MS = 500;
/** The second reading is always of the present, whatever the first was. */
const READS_MAX = 2;

/** The messages that have reached a run since it began, or the part of them that the run knows. */
export type Messages = Pick<Seen, 'hints' | 'decisions' | 'isCancelled' | 'isSending'>;

/** The error of a query that meets a fired timer before the task that handles it. */
const ASKED_TOO_EARLY = 'a timer of this run has just fired: ask again';

export interface Inbox {
  /** All that have arrived. */
  readonly arrived: () => Messages;
  /** The run knows these messages from now on. */
  readonly know: (messages: Messages) => void;
}

/**
 * The time by which a run decides, and the messages that the run knows: both are exactly in its history. The time is
 * the start of the run, Temporal's clock as the result of a local activity reports it, the end of a request likewise,
 * or the due moment of a timer. A message is known once a local activity that started after it has reported it. After
 * anything else (an ordinary activity, a message that overrules a wait) a local activity runs for that purpose alone.
 *
 * No worker's clock decides. The time may be behind Temporal's clock.
 *
 * A gap begins when a request has ended. The step reports this end too early, by the unmeasurable time that it waited
 * for a worker. A timer is set after the step, so a timer keeps the gap. When a message ends the wait early, the
 * elapsed part of the gap is what one worker measured between that step and the next one. If another worker executed
 * the next step, there is no such measurement: then the elapsed time is reduced by the longest time that the step can
 * have waited, the time-out of its task.
 *
 * In a replay, neither Temporal's clock (`Date.now()` in a workflow) nor the order in which the SDK delivers messages
 * and results of local activities is the same. Three causes are known. A query that is answered while a local activity
 * runs makes the workflow task end early: the activity's result then arrives with the next task, with that task's time
 * and after its signals and updates; in a replay the result arrives with its own time and before them. Tasks that
 * brought nothing but such an early end are one task in a replay. And a query at a worker that does not have the run in
 * its cache makes the worker rebuild the run from a history that may end with a fired timer and no task yet: the SDK
 * lets the run act on the timer, with the clock of the task before, and caches the result. Another worker may handle the
 * same timer, and only that is in the history. So a timer that is ahead of Temporal's clock fails the query, and the SDK
 * drops the run from the cache. If Temporal's clock was set back, it fails a task, which is retried until the clock has
 * caught up.
 */
export class RunClock {
  #nowMs: number;
  #gapNowMs: number;
  /** The end that the last step with a gap after it reported; null: the end of the last request is known. */
  #lastEndMs: number | null = null;
  #events = 0;
  #isAtTimer = false;
  #localActivities = 0;
  readonly #inbox: Inbox;

  /** `knownMs`: the latest time that the continued run knew. */
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
   * The time by which gaps after the last request are measured: between the reported end of that request and this time
   * lies no more than has really passed. ms since 1970; never goes back.
   */
  gapNowMs(): number {
    return this.#gapNowMs;
  }

  /** By how much the last request may have ended later than reported, in ms. */
  endDoubtMs(): number {
    if (this.#lastEndMs === null) return 0;
    return Math.min(Math.max(0, this.#nowMs - this.#lastEndMs), workflowInfo().taskTimeoutMs);
  }

  /** The last request ended before the last local activity started: the gap begins now. */
  beginGap(): void {
    this.#lastEndMs = null;
    this.#gapNowMs = this.#nowMs;
  }

  /**
   * Temporal's time, or the run's if that is later; only for uses that leave nothing in the history that a replay
   * compares.
   */
  engineMs(): number {
    return Math.max(Date.now(), this.#nowMs);
  }

  /**
   * The time that a request states, for audits of the gaps. A task that reaches its worker late has the time of its
   * start, while the gap was measured up to the step.
   */
  requestMs(): number {
    return Math.max(this.engineMs(), this.#gapNowMs);
  }

  /**
   * Whether the run last waited for a timer. A timer fires in a separate workflow task, and every message before that
   * task has been delivered, in a replay too. At the result of a local activity, a message may not have been delivered
   * yet.
   */
  isAtTimer(): boolean {
    return this.#isAtTimer;
  }

  /** Waits for the shortest possible timer. */
  async pause(): Promise<void> {
    await sleep(1, { summary: 'the next task' });
    this.#isAtTimer = true;
  }

  /** Length of the history, as the last local activity reported it. */
  events(): number {
    return this.#events;
  }

  /**
   * Whether a local activity runs. Meanwhile no update may be accepted: its acceptance is a command. If the workflow
   * task ended early, the commands that follow from the local activity come after the acceptance; in a replay they come
   * before it.
   */
  isInStep(): boolean {
    return this.#localActivities > 0;
  }

  /** What a local activity receives and returns. */
  seen(): Seen {
    return {
      ...this.#inbox.arrived(),
      engineMs: this.engineMs(),
      events: workflowInfo().historyLength,
      ...(workflowInfo().unsafe.isReplaying ? { isRecalled: true } : {}),
      ...(this.#lastEndMs === null ? {} : { lastEndMs: this.#lastEndMs }),
    };
  }

  /**
   * Waits for a local activity, and takes messages and time from its result; the messages arrived before it began. The
   * activity's duration does not count: it must not make anything due too early.
   */
  hear<T>(localActivity: Promise<Timed<T>>): Promise<Timed<T>> {
    return this.hearToEnd(localActivity, () => false);
  }

  /**
   * Likewise for a step after which a gap is kept (`isGapKept`; default: always): its duration counts. When its worker
   * cannot know the duration, a workflow task that begins after the step reports the time.
   */
  async hearToEnd<T>(
    localActivity: Promise<Timed<T>>,
    isGapKept: (told: Timed<T>) => boolean = () => true,
  ): Promise<Timed<T>> {
    let told: Timed<T>;
    this.#localActivities += 1;
    try {
      told = await localActivity;
    } finally {
      this.#localActivities -= 1;
    }
    this.#inbox.know(told.seen);
    if (!isGapKept(told)) {
      this.#reach(told);
      if (told.seen.isRecalled === true) await this.read();
      return told;
    }
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

  /** Reads the time, and makes arrived messages known; a cancel does not interrupt it. */
  async read(): Promise<Messages> {
    for (let asked = 1; ; asked += 1) {
      const told = await this.#readClock();
      const { seen } = told;
      // Messages that arrived during the previous step arrived before now, not before that step.
      this.#reach(told);
      this.#inbox.know(seen);
      if (seen.isRecalled === undefined || asked === READS_MAX) return seen;
    }
  }

  async #readClock(): Promise<Timed<object>> {
    this.#localActivities += 1;
    try {
      return await CancellationScope.nonCancellable(() =>
        readClock.executeWithOptions({ summary: 'the time' }, [null, this.seen()]),
      );
    } finally {
      this.#localActivities -= 1;
    }
  }

  /**
   * Sleeps until a moment (ms since 1970), or until an arrived message changes the plan. The Temporal UI shows
   * `summary` at the timer.
   */
  async sleepUntil(untilMs: number, summary: string, isOverruled: () => boolean): Promise<void> {
    const timer = { hasFired: false };
    const scope = new CancellationScope();
    const fired = scope
      .run(() => sleep(Math.max(untilMs - this.#gapNowMs, 1), { summary }))
      .then(
        () => (timer.hasFired = true),
        () => false,
      );
    await condition(() => timer.hasFired || isOverruled());
    scope.cancel();
    // A fired timer counts, even when a message arrived with it.
    const isDue = await fired;
    if (isDue && Date.now() + AHEAD_BY_MS < untilMs && !workflowInfo().unsafe.isReplaying) {
      throw new Error(ASKED_TOO_EARLY);
    }
    this.#isAtTimer = isDue;
    if (!isDue) {
      await this.read();
      return;
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    this.#gapNowMs = Math.max(this.#gapNowMs, untilMs);
  }

  /** Waits for a message, without a timer. */
  async waitFor(hasCome: () => boolean): Promise<void> {
    await condition(hasCome);
    await this.read();
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
