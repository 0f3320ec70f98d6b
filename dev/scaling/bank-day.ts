import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { BankLimiter } from '../../src/bank/limiter/limiter';
import { apply } from '../../src/domain/transfer/apply';
import type { SeenMovement } from '../../src/domain/transfer/answers';
import type { TransferEvent } from '../../src/domain/transfer/events';
import { nextStep } from '../../src/domain/transfer/next-step';
import type { Step } from '../../src/domain/transfer/next-step';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { indexEntry, indexedNow } from '../../src/workflows/transfer/index-entry';
import type { Indexed } from '../../src/workflows/transfer/index-entry';
import { drawsOf } from '../simulate/random';
import type { Draws } from '../simulate/random';
import { Processors } from './processors';
import { MEASURED, POLLS_PER_RUN } from './transfer-cost';
import { inVirtualTime } from './virtual-time';
import type { VirtualTime } from './virtual-time';

/** An installation and its day. */
export interface BankDayOptions {
  readonly transfers: number;
  readonly seed: number;
  readonly workers: number;
  /** `BANK_MAX_RPS` of each worker. */
  readonly maxRps: number;
  /** Processors that the Temporal server and the workers have in all. */
  readonly processors: number;
  /** Processor time of a state transition, server and worker together, in ms. */
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
  /** In its busiest second, in each case. */
  readonly peakRequests: number;
  readonly peakIndexWrites: number;
  /** At its end. */
  readonly open: number;
  /** Requests that are due and wait for the limiter, at its end. */
  readonly waiting: number;
  /** Longest that a step waited for a processor, in ms. */
  readonly processorWaitMs: number;
  /** Share of the processors that was used. */
  readonly used: number;
  /** Of each look-up that left, behind its due moment, in ms. */
  readonly latenessMs: readonly number[];
}

export interface BankDay {
  readonly minutes: readonly Minute[];
  readonly ended: number;
  /** Requests that left before their gap was over: none may. */
  readonly early: number;
}

/**
 * A day of a bank's transfers in virtual time. Rules, cadence and admission to the bank are the product's own code; the
 * bank's duration of each status is drawn, and every state transition takes its measured processor time from the
 * processors that server and workers share.
 */
export async function playBankDay(options: BankDayOptions): Promise<BankDay> {
  const minutes: Minute[] = [];
  let day: Day | null = null;
  await inVirtualTime(
    (time) => {
      day = new Day(options, time);
      day.begin();
    },
    () => {
      if (day !== null) minutes.push(day.takeMinute());
    },
  );
  const { ended, early } = day as unknown as Day;
  return { minutes, ended, early };
}

const HOUR_MS = 3_600_000;
/** Of each request at the bank. */
const LATENCY_MS = 150;
const POLLS = DEFAULT_TRANSFER_SETTINGS;
/** Transfers in each hour of a working day, as shares of those that are not salaries. */
const HOURS = [1, 1, 0.5, 0.5, 0.5, 1, 2, 4, 7, 9, 10, 9, 8, 7, 8, 8, 7, 5, 4, 3, 3, 2, 2, 1];
/** Salaries: given within ten minutes at nine. */
const SALARY_SHARE = 0.3;
const SALARIES_FROM_MS = 9 * HOUR_MS;
const SALARIES_WITHIN_MS = HOUR_MS / 6;

type Duration = readonly [status: string, ms: number];

/** What the bank shows from the create on: each status for so long, then the last for ever. */
function statusesOf(draws: Draws): readonly Duration[] {
  const created: Duration = ['CREATED', draws.between(200, 4_000)];
  const end: Duration = [draws.chance(0.02) ? 'FAILED' : 'COMPLETED', Infinity];
  switch (draws.weighted({ quick: 88, slow: 9, delayed: 3 })) {
    case 'quick':
      return [created, ['IN_PROGRESS', draws.between(500, 6_000)], end];
    case 'slow':
      return [created, ['IN_PROGRESS', draws.between(10_000, 240_000)], end];
    case 'delayed':
      return [created, ['IN_PROGRESS', 5_000], ['DELAYED', draws.between(HOUR_MS / 4, 6 * HOUR_MS)], end];
  }
}

function startOf(draws: Draws): number {
  if (draws.chance(SALARY_SHARE)) return SALARIES_FROM_MS + draws.between(0, SALARIES_WITHIN_MS);
  const hour = Number(draws.weighted(Object.fromEntries(HOURS.map((share, i) => [`${i}`, share]))));
  return hour * HOUR_MS + draws.between(0, HOUR_MS - 1);
}

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
    if (limiter === undefined) throw new Error('a day needs a worker');
    await time.until(startMs);
    this.minute.started += 1;
    this.open += 1;
    let state = initialState(originId, time.nowMs());
    let indexed: Indexed = { entry: indexEntry(state), requests: 0, ms: time.nowMs(), isByStart: true };
    this.count('indexWrites');
    let takenAtMs = Infinity;
    /** Of the next request; a deferral does not change it. */
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
      const now = indexedNow(indexed, state, time.nowMs());
      if (JSON.stringify(now.entry) !== JSON.stringify(indexed.entry)) this.count('indexWrites');
      indexed = now;
    }
    this.open -= 1;
    this.ended += 1;
    this.minute.ended += 1;
  }
  /** The state transitions of a step, which keep a processor busy. */
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

/** Of a whole transfer as measured, less its look-ups; the end has two of them. */
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

function statusAt(statuses: readonly Duration[], afterMs: number): string {
  let leftMs = afterMs;
  for (const [status, ms] of statuses) {
    if (leftMs < ms) return status;
    leftMs -= ms;
  }
  throw new Error('the last status lasts for ever');
}

/** The steps of a transfer in which nothing goes wrong. */
function eventOf(step: Step, atMs: number): TransferEvent {
  if (step.do === 'receive')
    return {
      ...{ kind: 'received', atMs, orderSha256: 'f'.repeat(64), amountValue: '1500.25' },
      ...{ settings: DEFAULT_TRANSFER_SETTINGS, facts: null, journalId: 'one' },
    };
  if (step.do === 'record-flags') return { kind: 'flags-recorded', atMs, reasons: step.reasons };
  if (step.do === 'record-result')
    return { kind: 'result-recorded', atMs, result: step.result, conflict: false };
  if (step.do === 'record-annulment') {
    const result = { ...step.result, annulmentId: 'annulment' };
    return { kind: 'result-recorded', atMs, result, conflict: false };
  }
  throw new Error(`${step.do} is no step of this day`);
}

function answered(
  { do: kind, number }: Extract<Step, { do: 'create' | 'lookup' }>,
  originId: number,
  atMs: number,
  status: string,
): TransferEvent {
  const movement: SeenMovement = {
    ...{ status, movementId: `m-${originId}`, network: 'COELSA', networkId: `n-${originId}` },
    ...{ postingAt: null, completedAt: null, echo: 'match', echoFields: [], evidenceSha256: 'e'.repeat(64) },
  };
  const timing = {
    ...{ atMs, startedAtMs: atMs - LATENCY_MS, number, settings: DEFAULT_TRANSFER_SETTINGS, inFlightMs: 0 },
  };
  return kind === 'create'
    ? { ...timing, kind: 'create-ended', answer: { kind: 'answered', movement }, claimAgeMs: LATENCY_MS }
    : { ...timing, kind: 'lookup-ended', answer: { kind: 'movement', movement } };
}
