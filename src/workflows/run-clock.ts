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

/** The second reading is always current, even if the first one was not. */
const READS_MAX = 2;

/** The messages that have reached a run since it began, or the part of them that the run knows. */
export type Messages = Pick<Seen, 'hints' | 'decisions' | 'isCancelled' | 'isSending'>;

export interface Inbox {
  /** All messages that have arrived. */
  readonly arrived: () => Messages;
  /** Makes these messages known to the run. */
  readonly know: (messages: Messages) => void;
}

/**
 * The time by which a run decides, and the messages that the run knows. The history holds both exactly. The time comes
 * from:
 *
 * - the start of the run, or the latest time that the continued run knew, if that is later,
 * - Temporal's clock, or the end of a request, as the result of an activity reports it,
 * - the due time of a timer.
 *
 * A message is known once a local activity that started after its arrival has reported it. After anything else (an
 * ordinary activity, a message that ends a wait) an extra local activity reads time and messages, unless `beginGapAt`
 * makes it needless.
 *
 * No worker's clock decides. There are four times:
 *
 * | time        | compared with Temporal's clock              | used for                                              |
 * |-------------|---------------------------------------------|-------------------------------------------------------|
 * | `nowMs`     | behind, or ahead by a request's duration    | the times of events                                   |
 * | `gapNowMs`  | as `nowMs`; ahead too if a task came late   | whether the gap after the last request is over        |
 * | `engineMs`  | the same, or `nowMs` if later               | what a step receives; a replay may have another value |
 * | `requestMs` | `engineMs`, or `gapNowMs` if later          | what a request states, for audits                     |
 *
 * Workers measure durations (`timed.ts`) and remember when a step has ended (`step-ends.ts`). If a worker's clock jumps
 * forward during a request, the request counts as longer.
 *
 * A gap begins at the end of a request. The end that the step reports is too early: the step's wait for a worker is
 * missing, because nobody can measure that wait. A timer starts after the step, so a gap measured by a timer is never
 * too short. If a message ends the wait before the timer fires, the elapsed part of the gap is what one worker measured
 * between the two steps (`sinceEndMs`). If another worker executed the second step, no measurement exists, and the
 * elapsed time is reduced by the time-out of a workflow task, the longest possible wait.
 *
 * In a replay, neither Temporal's clock (`Date.now()` in a workflow) nor the order in which the SDK delivers messages
 * and results of local activities is the same. Two causes are known:
 *
 * 1. A query that is answered while a local activity runs makes the workflow task end early. The activity's result then
 *    arrives with the next task: with that task's time, and after its signals and updates. In a replay the result
 *    arrives with its own time, and before them.
 * 2. Consecutive tasks that ended early in this way are one task in a replay.
 */
export class RunClock {
  #nowMs: number;
  #gapNowMs: number;
  /** The end that the last step before a gap reported; null: the end of the last request is known exactly. */
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
   * The time by which gaps after the last request are measured. It is at most the reported end of that request plus the
   * time that has really passed. ms since 1970; never goes back.
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
   * Begins the gap at the end of a request that an ordinary activity reports (`ended`), without a clock reading. The
   * next local activity reports the messages that have arrived.
   */
  beginGapAt(endMs: number): void {
    this.#isAtTimer = false;
    this.#nowMs = Math.max(this.#nowMs + 1, endMs);
    this.beginGap();
  }

  /**
   * Temporal's time, or the run's if that is later; only for values that a replay does not compare with the history.
   */
  engineMs(): number {
    return Math.max(Date.now(), this.#nowMs);
  }

  /**
   * The time that a request states, for audits of the gaps: the later of `engineMs` and `gapNowMs`. If a task reaches
   * its worker late, `engineMs` is still the start of the task.
   */
  requestMs(): number {
    return Math.max(this.engineMs(), this.#gapNowMs);
  }

  /**
   * Whether the run last waited for a timer. A timer fires in a separate workflow task, so all messages before that
   * task have been delivered, in a replay too. When a local activity returns, messages may still be undelivered.
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
   * Whether a local activity runs. Meanwhile no update may be accepted, because an acceptance is a command. If the
   * workflow task ended early, the commands that follow the local activity come after the acceptance; in a replay they
   * come before it.
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
   * activity's duration does not count, because nothing may become due too early.
   */
  resultOf<T>(localActivity: Promise<Timed<T>>): Promise<Timed<T>> {
    return this.resultBeforeGap(localActivity, () => false);
  }

  /**
   * As `resultOf`, for a step before a gap (`isGapKept`; default: always): the activity's duration counts. If the
   * worker cannot know the duration, a workflow task that begins after the step provides the time.
   */
  async resultBeforeGap<T>(
    localActivity: Promise<Timed<T>>,
    isGapKept: (result: Timed<T>) => boolean = () => true,
  ): Promise<Timed<T>> {
    let result: Timed<T>;
    this.#localActivities += 1;
    try {
      result = await localActivity;
    } finally {
      this.#localActivities -= 1;
    }
    this.#inbox.know(result.seen);
    if (!isGapKept(result)) {
      this.#reach(result);
      if (result.seen.isRecalled === true) await this.read();
      return result;
    }
    this.#advance(result.seen, result.atMs);
    this.#gapNowMs = this.#nowMs;
    this.#lastEndMs = result.atMs;
    if (result.isUntimed === true) {
      await this.pause();
      await this.read();
      this.beginGap();
    }
    return result;
  }

  /** Reads the time, and makes arrived messages known. A cancel does not interrupt the reading. */
  async read(): Promise<Messages> {
    for (let asked = 1; ; asked += 1) {
      const result = await this.#readClock();
      const { seen } = result;
      // Time first: a message that arrived during the previous step gets the current time, not that of the step.
      this.#reach(result);
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
   * Sleeps until a given time (ms since 1970), or until `isOverruled`, because an arrived message changes the plan. The
   * Temporal UI shows `summary` at the timer.
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
