import { TokenBucket } from 'limiter';
import { RecentRate } from './recent-rate';

/** A movement's requests: each lane gets half of the rate when both want more, and what the other leaves. */
const MOVEMENT_LANES = ['create', 'lookup'] as const;
export type MovementLane = (typeof MOVEMENT_LANES)[number];

/** `beside`, for what has time, gets what the movements leave: a request of theirs never waits behind one of it. */
export const LANES = [...MOVEMENT_LANES, 'beside'] as const;
export type Lane = (typeof LANES)[number];

/** A request that would wait longer goes back to a durable timer. */
export const WAIT_MAX_MS = 1_000;

/** The moments given to what is beside are that close at least, however much the movements want. */
const LEAST_SHARE = 1 / 4;

/** Calls that may go together after a pause, as a part of a second's: evens out late timers. */
const BURST_PART = 20;

export type Turn =
  { readonly kind: 'now'; readonly waitedMs: number } | { readonly kind: 'later'; readonly afterMs: number };

interface Waiter {
  readonly enteredAtMs: number;
  readonly resolve: (turn: Turn) => void;
}

/**
 * At most so many calls a second. A turn that comes within a second is waited for in a line, in order; any other
 * request is given a moment to come back, each its own, in order, at the rate that its lane gets: a backlog drains
 * smoothly, and the moments hold when another worker takes the request up.
 */
export class Pacer {
  private readonly bucket: TokenBucket;
  private readonly lines: Record<Lane, Waiter[]> = { create: [], lookup: [], beside: [] };
  /** Second calls of requests that are under way: before everybody else. */
  private readonly repeats: (() => void)[] = [];
  /** The last moment given out in each lane. */
  private readonly tailMs: Record<Lane, number> = { create: 0, lookup: 0, beside: 0 };
  private readonly recent: Record<MovementLane, RecentRate>;
  private lastServed: MovementLane = 'lookup';
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly ratePerSecond: number) {
    const bucketSize = Math.max(1, Math.floor(ratePerSecond / BURST_PART));
    this.bucket = new TokenBucket({ bucketSize, tokensPerInterval: ratePerSecond, interval: 1_000 });
    this.bucket.content = bucketSize;
    const nowMs = performance.now();
    this.recent = { create: new RecentRate(nowMs), lookup: new RecentRate(nowMs) };
  }

  /** `returning`: it was given a moment before, and this is it; others come behind those who wait for theirs. */
  turn(lane: Lane, { returning }: { readonly returning: boolean }): Promise<Turn> {
    const nowMs = performance.now();
    const isBehind = !returning && this.tailMs[lane] > nowMs + WAIT_MAX_MS;
    if (isBehind || this.expectedWaitMs(lane) > WAIT_MAX_MS) {
      return Promise.resolve(this.later(lane, nowMs));
    }
    return new Promise((resolve) => {
      this.lines[lane].push({ enteredAtMs: nowMs, resolve });
      this.serve();
    });
  }

  /** A further call of a request that had its turn. */
  repeat(): Promise<void> {
    return new Promise((resolve) => {
      this.repeats.push(resolve);
      this.serve();
    });
  }

  /** A turn that was not used. */
  giveBack(): void {
    this.bucket.content = Math.min(this.bucket.content + 1, this.bucket.bucketSize);
    this.serve();
  }

  private expectedWaitMs(lane: Lane): number {
    const own = this.lines[lane].length;
    const others =
      lane === 'beside'
        ? this.lines.create.length + this.lines.lookup.length
        : Math.min(this.lines[other(lane)].length, own + 1);
    this.bucket.drip();
    return ((this.repeats.length + own + others + 1 - this.bucket.content) * 1_000) / this.ratePerSecond;
  }

  private later(lane: Lane, nowMs: number): Turn {
    const atMs = Math.max(nowMs + WAIT_MAX_MS, this.tailMs[lane] + 1_000 / this.shareOf(lane, nowMs));
    this.tailMs[lane] = atMs;
    return { kind: 'later', afterMs: Math.ceil(atMs - nowMs) };
  }

  /** Calls a second that this lane can count on. */
  private shareOf(lane: Lane, nowMs: number): number {
    const rate = this.ratePerSecond;
    if (lane === 'beside') {
      const left = MOVEMENT_LANES.reduce((rest, each) => rest - this.recent[each].at(nowMs), rate);
      const isFull = MOVEMENT_LANES.some((each) => this.isBusy(each, nowMs));
      return Math.max(rate * LEAST_SHARE, isFull ? 0 : left);
    }
    const rival = other(lane);
    return this.isBusy(rival, nowMs) ? rate / 2 : Math.max(rate / 2, rate - this.recent[rival].at(nowMs));
  }

  private isBusy(lane: Lane, nowMs: number): boolean {
    return this.lines[lane].length > 0 || this.tailMs[lane] > nowMs;
  }

  private serve(): void {
    const nowMs = performance.now();
    while (this.isWaiting() && this.bucket.tryRemoveTokens(1)) this.serveNext(nowMs);
    for (const lane of LANES) this.sendAwayLate(lane, nowMs);
    if (!this.isWaiting() || this.timer !== null) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.serve();
      },
      Math.max(1, Math.min(this.bucket.getWaitTime(1), this.nextLateMs() - nowMs + 1)),
    );
  }

  private serveNext(nowMs: number): void {
    const repeat = this.repeats.shift();
    if (repeat !== undefined) {
      repeat();
      return;
    }
    const [first, second] = [other(this.lastServed), this.lastServed];
    const lane = this.lines[first].length > 0 ? first : this.lines[second].length > 0 ? second : 'beside';
    const waiter = this.lines[lane].shift();
    if (waiter === undefined) return;
    if (lane !== 'beside') {
      this.lastServed = lane;
      this.recent[lane].count(nowMs);
    }
    waiter.resolve({ kind: 'now', waitedMs: nowMs - waiter.enteredAtMs });
  }

  /** Another lane filled up after they came. */
  private sendAwayLate(lane: Lane, nowMs: number): void {
    const line = this.lines[lane];
    while (line[0] !== undefined && nowMs - line[0].enteredAtMs > WAIT_MAX_MS) {
      line.shift()?.resolve(this.later(lane, nowMs));
    }
  }

  private nextLateMs(): number {
    return Math.min(...LANES.map((lane) => (this.lines[lane][0]?.enteredAtMs ?? Infinity) + WAIT_MAX_MS));
  }

  private isWaiting(): boolean {
    return this.repeats.length > 0 || LANES.some((lane) => this.lines[lane].length > 0);
  }
}

const other = (lane: MovementLane): MovementLane => (lane === 'create' ? 'lookup' : 'create');
