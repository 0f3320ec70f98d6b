import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { BankLimiter } from '../../src/bank/limiter/limiter';
import { apply } from '../../src/domain/transfer/apply';
import { nextStep } from '../../src/domain/transfer/next-step';
import type { Step } from '../../src/domain/transfer/next-step';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { indexEntry, indexedNow } from '../../src/workflows/transfer/index-entry';
import type { Indexed } from '../../src/workflows/transfer/index-entry';
import { drawsOf } from '../simulate/random';
import { startOf, statusAt, statusesOf } from './day-plan';
import type { Duration } from './day-plan';
import { LATENCY_MS, answered, eventOf } from './faultless-steps';
import { Processors } from './processors';
import { MEASURED, POLLS_PER_RUN } from './transfer-cost';
import { VirtualTime } from './virtual-time';

/** An installation and its load. */
export interface BankDayOptions {
  readonly transfers: number;
  readonly seed: number;
  readonly workers: number;
  /** `BANK_MAX_RPS` of each worker. */
  readonly maxRps: number;
  /** Total number of processors of the Temporal server and the workers. */
  readonly processors: number;
  /** Processor time of a state transition, of server, its PostgreSQL and worker together, in ms. */
  readonly transitionMs: number;
}

/** What happened in one minute. */
export interface Minute {
  readonly started: number;
  readonly ended: number;
  readonly lookups: number;
  readonly requests: number;
  readonly transitions: number;
  readonly indexWrites: number;
  /** In the busiest second of the minute, like `peakIndexWrites`. */
  readonly peakRequests: number;
  readonly peakIndexWrites: number;
  /** Open transfers at the end of the minute. */
  readonly open: number;
  /** Due requests that wait for the limiter at the end of the minute. */
  readonly waiting: number;
  /** Longest wait of a step for a processor, in ms. */
  readonly processorWaitMs: number;
  /** Used share of the processors' time. */
  readonly used: number;
  /** How long after its due time each look-up left, in ms. */
  readonly latenessMs: readonly number[];
}

export interface BankDay {
  readonly minutes: readonly Minute[];
  readonly ended: number;
  /** Requests that left before their gap was over: must be 0. */
  readonly early: number;
}

/**
 * Simulates a day of a bank's transfers in virtual time. Rules, cadence and admission to the bank are the product's own
 * code. The duration of each status is random. Server and workers share the processors, and every state transition
 * takes its measured processor time.
 */
export async function playBankDay(options: BankDayOptions): Promise<BankDay> {
  const time = new VirtualTime();
  try {
    const day = new Day(options, time);
    day.begin();
    const minutes: Minute[] = [];
    await time.pass(() => minutes.push(day.takeMinute()));
    return { minutes, ended: day.ended, early: day.early };
  } finally {
    time.end();
  }
}

const POLLS = DEFAULT_TRANSFER_SETTINGS;
class Day {
  ended = 0;
  early = 0;
  private open = 0;
  private waiting = 0;
  private usedBeforeMs = 0;
  private minute = newMinute();
  private readonly processors: Processors;
  private readonly limiters: readonly BankLimiter[];

  constructor(
    private readonly options: BankDayOptions,
    private readonly time: VirtualTime,
  ) {
    const { workers, maxRps, processors } = options;
    this.processors = new Processors(processors, time);
    this.limiters = Array.from({ length: workers }, () =>
      createBankLimiter({ maxRps, pollActiveMs: POLLS.pollActiveMs }),
    );
  }

  begin(): void {
    const draws = drawsOf(this.options.seed, 'bank day');
    for (let originId = 1; originId <= this.options.transfers; originId += 1)
      void this.live(originId, startOf(draws), statusesOf(draws));
  }

  takeMinute(): Minute {
    const { bySecond, ...counts } = this.minute;
    const usedMs = this.processors.usedMs();
    const used = (usedMs - this.usedBeforeMs) / (SECONDS * 1_000 * this.options.processors);
    this.usedBeforeMs = usedMs;
    this.minute = newMinute();
    return {
      ...counts,
      ...{ requests: sum(bySecond.requests), indexWrites: sum(bySecond.indexWrites) },
      peakRequests: Math.max(...bySecond.requests),
      peakIndexWrites: Math.max(...bySecond.indexWrites),
      ...{ open: this.open, waiting: this.waiting, used },
    };
  }

  /** One transfer, from its order to its end. */
  private async live(originId: number, startMs: number, statuses: readonly Duration[]): Promise<void> {
    const { time } = this;
    const limiter = this.limiters[originId % this.limiters.length];
    if (limiter === undefined) throw new Error('no worker works on this day');
    await time.until(startMs);
    this.minute.started += 1;
    this.open += 1;
    let state = initialState(originId, time.nowMs());
    let indexed: Indexed = { entry: indexEntry(state), requests: 0, ms: time.nowMs(), isByStart: true };
    this.count('indexWrites');
    let takenAtMs = Infinity;
    /** When the next request is due; a deferral does not change this time. */
    let dueMs = startMs;
    for (;;) {
      const step = nextStep(state, time.nowMs());
      if (step.do === 'end') break;
      if (step.do === 'wait') {
        if (state.requests.deferredFromMs === null) dueMs = step.untilMs;
        await time.until(step.untilMs);
        continue;
      }
      await this.compute(step, state);
      if (step.do !== 'create' && step.do !== 'lookup') {
        state = apply(state, eventOf(step, time.nowMs()));
      } else {
        const admission = await this.admitted(limiter, step.do, state);
        if (admission.kind === 'deferred') {
          const { afterMs } = admission;
          state = apply(state, { kind: 'request-deferred', atMs: time.nowMs(), afterMs });
          continue;
        }
        const leftMs = time.nowMs();
        this.leaves(step.do, state, leftMs - dueMs);
        admission.permit.left();
        await time.until(leftMs + LATENCY_MS);
        admission.permit.made('good');
        admission.permit.release();
        if (step.do === 'create') takenAtMs = leftMs;
        state = apply(state, answered(step, originId, time.nowMs(), statusAt(statuses, leftMs - takenAtMs)));
      }
      const now = indexedNow(indexed, state, { nowMs: time.nowMs() });
      if (now.changes.length > 0) this.count('indexWrites');
      indexed = now.indexed;
    }
    this.open -= 1;
    this.ended += 1;
    this.minute.ended += 1;
  }

  /** Keeps a processor busy for the state transitions of a step. */
  private async compute(step: Step, state: TransferState): Promise<void> {
    const transitions = transitionsOf(step, state);
    this.minute.transitions += transitions;
    const waitedMs = await this.processors.use(transitions * this.options.transitionMs);
    this.minute.processorWaitMs = Math.max(this.minute.processorWaitMs, waitedMs);
  }

  private async admitted(limiter: BankLimiter, request: 'create' | 'lookup', { requests }: TransferState) {
    this.waiting += 1;
    const admission = await limiter.admit(request, { returning: requests.deferredFromMs !== null });
    this.waiting -= 1;
    return admission;
  }

  private leaves(request: 'create' | 'lookup', { requests, bank }: TransferState, latenessMs: number): void {
    this.count('requests');
    if (request === 'create') return;
    this.minute.lookups += 1;
    this.minute.latenessMs.push(latenessMs);
    const gapMs = bank.status === 'DELAYED' ? POLLS.pollDelayedMs : POLLS.pollActiveMs;
    if (this.time.nowMs() - (requests.lastEndedAtMs ?? 0) < gapMs) this.early += 1;
  }

  private count(what: 'requests' | 'indexWrites'): void {
    const second = Math.floor(this.time.nowMs() / 1_000) % SECONDS;
    const counts = this.minute.bySecond[what];
    counts[second] = (counts[second] ?? 0) + 1;
  }
}

const SECONDS = 60;

const newMinute = () => ({
  ...{ started: 0, ended: 0, lookups: 0, transitions: 0, processorWaitMs: 0 },
  latenessMs: [] as number[],
  bySecond: { requests: Array<number>(SECONDS).fill(0), indexWrites: Array<number>(SECONDS).fill(0) },
});

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

/** State transitions of each step: those of a measured transfer, minus its look-ups; the end takes two. */
const { completed, failed, unchangedPoll, continueAsNew } = MEASURED;
const END_TRANSITIONS = 2;
const TRANSITIONS: Partial<Record<Step['do'], number>> = {
  create: completed.transitions - completed.polls * unchangedPoll.transitions - END_TRANSITIONS,
  lookup: unchangedPoll.transitions,
  'record-result': END_TRANSITIONS,
  'record-annulment': END_TRANSITIONS + failed.transitions - completed.transitions,
};

function transitionsOf(step: Step, { requests }: TransferState): number {
  const isLongRun = step.do === 'lookup' && requests.polls > 0 && requests.polls % POLLS_PER_RUN === 0;
  return (TRANSITIONS[step.do] ?? 0) + (isLongRun ? continueAsNew.transitions : 0);
}
