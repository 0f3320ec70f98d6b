/**
 * One second and a margin. Requests take different times to reach the bank; without the margin, the bank could see one
 * request too many in a second.
 */
const WINDOW_MS = 1_000 + 25;

/** Requests may be this much ahead of even spacing, to compensate for late timers. */
const AHEAD_MS = 50;

/** The right to one departure. Call one of the functions once; later calls do nothing. */
export interface Slot {
  /** The request has left, or has failed before it left. */
  leave(): void;
  /** No request was made. */
  giveBack(): void;
}

/** The slot of a request without a limit. */
export const UNLIMITED_SLOT: Slot = { leave: () => undefined, giveBack: () => undefined };

/**
 * At most `limit` departures in any second, evenly spaced. A slot is taken before its request leaves: claim, token
 * and handshake come in between, and take a different time for each request. So a slot counts from the moment when it
 * is taken until one window after its request has left. Then no delay in between can put more than `limit` into one
 * second.
 */
export class SlidingWindow {
  /** Departures of the last window, oldest first: a ring. Slots and departures together never exceed `limit`. */
  private readonly departures: Float64Array;
  private oldest = 0;
  private departed = 0;
  /** Slots taken by requests that have not left yet. */
  private pending = 0;
  /** Time of the next request under even spacing. */
  private nextMs = 0;
  private readonly spacingMs: number;

  /** @param limit departures in any second; at least 1 */
  constructor(private readonly limit: number) {
    this.departures = new Float64Array(limit);
    this.spacingMs = WINDOW_MS / limit;
  }

  /**
   * Time until a slot is free, in ms, if `ahead` others are taken first; 0: now. Infinity: unknown, because it depends
   * on when pending requests leave or give their slots back.
   */
  waitMs(nowMs: number, ahead = 0): number {
    this.forget(nowMs);
    const firstMs = ahead === 0 ? this.nextMs : Math.max(this.nextMs, nowMs);
    const spacedMs = Math.max(0, firstMs + ahead * this.spacingMs - AHEAD_MS - nowMs);
    const toExpire = this.departed + this.pending + ahead + 1 - this.limit;
    if (toExpire <= 0) return spacedMs;
    if (toExpire > this.departed) return Infinity;
    return Math.max(spacedMs, this.departureAt(toExpire - 1) + WINDOW_MS - nowMs);
  }

  /** Takes a slot; call only while `waitMs` is 0. `onChange` is called when a slot may become free, now or later. */
  take(nowMs: number, onChange: () => void): Slot {
    this.pending += 1;
    this.nextMs = Math.max(this.nextMs, nowMs) + this.spacingMs;
    let isSpent = false;
    const spend = (change: () => void) => () => {
      if (isSpent) return;
      isSpent = true;
      this.pending -= 1;
      change();
      onChange();
    };
    return {
      leave: spend(() => {
        const leftMs = performance.now();
        this.forget(leftMs);
        this.departures[(this.oldest + this.departed) % this.limit] = leftMs;
        this.departed += 1;
      }),
      giveBack: spend(() => (this.nextMs -= this.spacingMs)),
    };
  }

  private forget(nowMs: number): void {
    while (this.departed > 0 && nowMs - this.departureAt(0) >= WINDOW_MS) {
      this.oldest = (this.oldest + 1) % this.limit;
      this.departed -= 1;
    }
  }

  private departureAt(index: number): number {
    return this.departures[(this.oldest + index) % this.limit] ?? 0;
  }
}
