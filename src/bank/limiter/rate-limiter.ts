import { SlidingWindow } from './sliding-window';
import type { Slot } from './sliding-window';

/** Creates and look-ups: each gets half of the rate when both want more, and what the other leaves. */
const MOVEMENT_PRIORITIES = ['create', 'lookup'] as const;
type MovementPriority = (typeof MOVEMENT_PRIORITIES)[number];

/** `background`: requests that can wait get what movement requests leave. */
export const PRIORITIES = [...MOVEMENT_PRIORITIES, 'background'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** A request that would wait longer goes back to a durable timer. */
export const WAIT_MAX_MS = 1_000;

/** Waiting background requests get one call in this many, even at high demand of movement requests. */
export const BACKGROUND_EVERY = 20;

/**
 * Minimum share of the rate by which return times of background requests are spaced. The queue guarantees less: one
 * call in `BACKGROUND_EVERY`. But movement requests may become fewer before the return, and a request that returns too
 * early is deferred again.
 */
const BACKGROUND_MOMENTS_SHARE = 1 / 4;

export type Turn =
  | { readonly kind: 'now'; readonly slot: Slot; readonly waitedMs: number }
  | { readonly kind: 'later'; readonly afterMs: number };

interface Waiter {
  readonly enteredAtMs: number;
  readonly resolve: (turn: Turn) => void;
}

/**
 * Gives out the slots of a sliding window by priority. A request whose slot comes within a second waits in a queue.
 * Every other request gets a separate time to come back, in order, at the rate of its priority. So a backlog drains
 * smoothly, and the times stay valid when another worker takes over the request.
 */
export class RateLimiter {
  private readonly window: SlidingWindow;
  private readonly queues: Record<Priority, Waiter[]> = { create: [], lookup: [], background: [] };
  /** Repetitions of requests in flight; served first. */
  private readonly repeats: ((slot: Slot) => void)[] = [];
  /** The last return time given out in each priority. */
  private readonly tailMs: Record<Priority, number> = { create: 0, lookup: 0, background: 0 };
  private readonly recent: Record<MovementPriority, RecentRate>;
  private lastServed: MovementPriority = 'lookup';
  /** Movement requests served since the last background request. */
  private movementsInRow = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param ratePerSecond at least 1 */
  constructor(private readonly ratePerSecond: number) {
    this.window = new SlidingWindow(ratePerSecond);
    const nowMs = performance.now();
    this.recent = { create: new RecentRate(nowMs), lookup: new RecentRate(nowMs) };
  }

  /**
   * `returning`: the request was deferred before, and this is its assigned time. New requests queue behind deferred
   * ones.
   */
  turn(priority: Priority, { returning }: { readonly returning: boolean }): Promise<Turn> {
    const nowMs = performance.now();
    const isBehind = !returning && this.tailMs[priority] > nowMs + WAIT_MAX_MS;
    if (isBehind || this.expectedWaitMs(priority, nowMs) > WAIT_MAX_MS) {
      return Promise.resolve(this.later(priority, nowMs));
    }
    return new Promise((resolve) => {
      this.queues[priority].push({ enteredAtMs: nowMs, resolve });
      this.serve();
    });
  }

  /** The slot for a further call of a request that already had its turn. */
  repeat(): Promise<Slot> {
    return new Promise((resolve) => {
      this.repeats.push(resolve);
      this.serve();
    });
  }

  private expectedWaitMs(priority: Priority, nowMs: number): number {
    const own = this.queues[priority].length;
    return this.window.waitMs(nowMs, this.repeats.length + own + this.othersAhead(priority, own));
  }

  /** Requests of other priorities that are served before a new request behind `own`. */
  private othersAhead(priority: Priority, own: number): number {
    if (priority !== 'background') return Math.min(this.queues[other(priority)].length, own + 1);
    const movements = this.queues.create.length + this.queues.lookup.length;
    return Math.min(movements, (own + 1) * (BACKGROUND_EVERY - 1) - this.movementsInRow);
  }

  private later(priority: Priority, nowMs: number): Turn {
    const atMs = Math.max(nowMs + WAIT_MAX_MS, this.tailMs[priority] + 1_000 / this.shareOf(priority, nowMs));
    this.tailMs[priority] = atMs;
    return { kind: 'later', afterMs: Math.ceil(atMs - nowMs) };
  }

  /** Calls a second that this priority can count on. */
  private shareOf(priority: Priority, nowMs: number): number {
    const rate = this.ratePerSecond;
    if (priority === 'background') {
      const left = MOVEMENT_PRIORITIES.reduce((rest, each) => rest - this.recent[each].at(nowMs), rate);
      const isFull = MOVEMENT_PRIORITIES.some((each) => this.isBusy(each, nowMs));
      return Math.max(rate * BACKGROUND_MOMENTS_SHARE, isFull ? 0 : left);
    }
    const rival = other(priority);
    return this.isBusy(rival, nowMs) ? rate / 2 : Math.max(rate / 2, rate - this.recent[rival].at(nowMs));
  }

  private isBusy(priority: Priority, nowMs: number): boolean {
    return this.queues[priority].length > 0 || this.tailMs[priority] > nowMs;
  }

  private readonly serve = (): void => {
    if (!this.isWaiting()) return;
    const nowMs = performance.now();
    while (this.isWaiting() && this.window.waitMs(nowMs) === 0) this.serveNext(nowMs);
    for (const priority of PRIORITIES) this.sendAwayLate(priority, nowMs);
    this.wakeAt(nowMs + this.window.waitMs(nowMs), nowMs);
  };

  /** One timer for all queues; none while no request waits. */
  private wakeAt(slotAtMs: number, nowMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (!this.isWaiting()) return;
    const atMs = Math.min(slotAtMs, this.nextLateMs() + 1);
    if (atMs === Infinity) return;
    this.timer = setTimeout(this.serve, Math.max(1, Math.ceil(atMs - nowMs)));
  }

  private serveNext(nowMs: number): void {
    const repeat = this.repeats.shift();
    if (repeat !== undefined) {
      repeat(this.window.take(nowMs, this.serve));
      return;
    }
    const priority = this.nextPriority();
    const waiter = this.queues[priority].shift();
    if (waiter === undefined) return;
    if (priority === 'background') this.movementsInRow = 0;
    else {
      this.lastServed = priority;
      this.recent[priority].count(nowMs);
      this.movementsInRow = Math.min(this.movementsInRow + 1, BACKGROUND_EVERY - 1);
    }
    const slot = this.window.take(nowMs, this.serve);
    waiter.resolve({ kind: 'now', slot, waitedMs: nowMs - waiter.enteredAtMs });
  }

  private nextPriority(): Priority {
    const isOwed = this.movementsInRow >= BACKGROUND_EVERY - 1;
    if (isOwed && this.queues.background.length > 0) return 'background';
    const first = other(this.lastServed);
    if (this.queues[first].length > 0) return first;
    return this.queues[this.lastServed].length > 0 ? this.lastServed : 'background';
  }

  /** Defers requests that have waited too long, because others were served first or requests took long to leave. */
  private sendAwayLate(priority: Priority, nowMs: number): void {
    const queue = this.queues[priority];
    while (queue[0] !== undefined && nowMs - queue[0].enteredAtMs > WAIT_MAX_MS) {
      queue.shift()?.resolve(this.later(priority, nowMs));
    }
  }

  private nextLateMs(): number {
    return Math.min(
      ...PRIORITIES.map((each) => (this.queues[each][0]?.enteredAtMs ?? Infinity) + WAIT_MAX_MS),
    );
  }

  private isWaiting(): boolean {
    return this.repeats.length > 0 || PRIORITIES.some((each) => this.queues[each].length > 0);
  }
}

const other = (priority: MovementPriority): MovementPriority => (priority === 'create' ? 'lookup' : 'create');

/** The rate of events a second, over the last one to two seconds. */
class RecentRate {
  private current = 0;
  private previous = 0;

  /** @param windowMs start of the current second */
  constructor(private windowMs: number) {}

  count(nowMs: number): void {
    this.roll(nowMs);
    this.current += 1;
  }

  at(nowMs: number): number {
    this.roll(nowMs);
    return Math.max(this.previous, this.current);
  }

  private roll(nowMs: number): void {
    const seconds = Math.floor((nowMs - this.windowMs) / 1_000);
    if (seconds < 1) return;
    this.previous = seconds === 1 ? this.current : 0;
    this.current = 0;
    this.windowMs += seconds * 1_000;
  }
}
