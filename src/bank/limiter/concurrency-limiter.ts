import { WAIT_MAX_MS } from './rate-limiter';

export type Place =
  /** Call `leave` once. `wasAsked`: the limiter admitted the request, so its time counts. */
  | { readonly kind: 'in'; readonly leave: (wasAsked: boolean) => void }
  | { readonly kind: 'later'; readonly afterMs: number };

/** Weight of the newest request in the moving average of the time in flight. */
const NEWEST_PART = 0.2;

/**
 * At most `max` requests wait for a turn or are in flight. Every further request gets its own time to come back, in
 * order, spaced by the rate at which requests end.
 */
export class ConcurrencyLimiter {
  private inFlight = 0;
  /** The last time given out. */
  private tailMs = 0;
  private meanMs = 0;

  constructor(private readonly max: number) {}

  /** `returning`: the request was deferred before, and this is its assigned time. */
  enter({ returning }: { readonly returning: boolean }): Place {
    const enteredAtMs = performance.now();
    const isBehind = !returning && this.tailMs > enteredAtMs + WAIT_MAX_MS;
    if (isBehind || this.inFlight >= this.max) return this.later(enteredAtMs);
    this.inFlight += 1;
    return {
      kind: 'in',
      leave: (wasAsked) => {
        this.inFlight -= 1;
        if (wasAsked) this.meanMs += NEWEST_PART * (performance.now() - enteredAtMs - this.meanMs);
      },
    };
  }

  private later(nowMs: number): Place {
    this.tailMs = Math.max(nowMs + WAIT_MAX_MS, this.tailMs + Math.max(1, this.meanMs / this.max));
    return { kind: 'later', afterMs: Math.ceil(this.tailMs - nowMs) };
  }
}
