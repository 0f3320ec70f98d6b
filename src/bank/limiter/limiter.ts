import { admit, BREAKER_CLOSED, ended, notMade } from './circuit-breaker';
import type { Admitted, BreakerState, CircuitBreaker, Health } from './circuit-breaker';
import { ConcurrencyLimiter } from './concurrency-limiter';
import type { Place } from './concurrency-limiter';
import { RateLimiter } from './rate-limiter';
import type { Priority, Turn } from './rate-limiter';
import { UNLIMITED_SLOT } from './sliding-window';
import type { Slot } from './sliding-window';

/**
 * Maximum number of verification requests in flight. Even if the verification service hangs, three quarters of a worker's
 * activity slots (`worker/options.ts`) stay free for movements.
 */
export const VERIFICATIONS_MAX = 16;

interface Rule {
  readonly priority: Priority;
  /**
   * Requests of this kind consult and inform the circuit breaker. Not for a separate service, which may be down while
   * movements are served, and vice versa.
   */
  readonly breaks: boolean;
}

/** The admission rules of each kind of request. */
const RULES = {
  create: { priority: 'create', breaks: true },
  lookup: { priority: 'lookup', breaks: true },
  reconciliation: { priority: 'background', breaks: true },
  verification: { priority: 'background', breaks: false },
} as const satisfies Record<string, Rule>;

export type BankRequest = keyof typeof RULES;
export type MovementRequest = Extract<BankRequest, 'create' | 'lookup'>;

/** Why a request waits. */
export type DeferralReason = 'rate' | 'circuit' | 'concurrency';

/** A request either leaves under a permit, or must come back after `afterMs`; then nothing was claimed or sent. */
export type Admission =
  | { readonly kind: 'admitted'; readonly permit: Permit }
  | { readonly kind: 'deferred'; readonly afterMs: number; readonly reason: DeferralReason };

/** The bank client reports the calls of a request here. */
export interface Departures {
  /** The call has left, or has failed before it left. The call counts for one second from now. */
  left(): void;
  /** Waits for the turn of a further call: the repetition after a 401. */
  repeat(): Promise<void>;
}

export interface Permit extends Departures {
  readonly waitedMs: number;
  /** The request was made. Call this before `release`. */
  made(health: Health): void;
  /** Always call this: it returns unused slots. */
  release(): void;
}

/** What this worker knows about the bank from its requests about movements. No request is made just for this. */
export interface BankReach {
  readonly breaker: BreakerState;
  /** Null: nothing was asked yet. */
  readonly last: { readonly health: Health; readonly agoMs: number } | null;
}

/**
 * Admission control of the requests of one worker to the bank. Call it before a request's number is claimed. A request
 * passes these checks in order:
 *
 * 1. concurrency: at most `VERIFICATIONS_MAX` verifications are in flight;
 * 2. circuit breaker: while the bank is unreachable, there is one probe every half `POLL_ACTIVE`;
 * 3. rates: `RECONCILE_MAX_RPS` for reconciliations, then `BANK_MAX_RPS` for all, by priority.
 */
export interface BankLimiter {
  /** `returning`: the request was deferred before, and this is its assigned time. */
  admit(request: BankRequest, options: { readonly returning: boolean }): Promise<Admission>;
  /** The next slot, for rare calls that cannot be deferred: the check of subscriptions, and calls of commands. */
  next(): Promise<Permit>;
  reach(): BankReach;
}

export interface LimiterObserver {
  waited(priority: Priority, waitedMs: number): void;
  deferred(priority: Priority, reason: DeferralReason): void;
  breakerChanged(state: BreakerState): void;
}

export interface BankLimiterOptions {
  /** `BANK_MAX_RPS`; 0: no limit. */
  readonly maxRps: number;
  /** `RECONCILE_MAX_RPS`; 0, the default: no separate limit. */
  readonly reconcileMaxRps?: number;
  /** `POLL_ACTIVE`: the longest time by which an open breaker delays a request after the bank answers again. */
  readonly pollActiveMs: number;
  readonly observer?: LimiterObserver;
}

/** Spreads return times: the fractional parts of n × this number fill the interval evenly, for any count of n. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

interface Served {
  readonly kind: 'now';
  readonly slots: readonly Slot[];
  readonly waitedMs: number;
}

const ANY_PLACE: Place = { kind: 'in', leave: () => undefined };
const NOW = { kind: 'now', slot: UNLIMITED_SLOT, waitedMs: 0 } as const;

/*
 * Why no library: the token bucket of `limiter` counts turns, not departures, and allows a burst in addition to a
 * second's quota. p-queue and bottleneck have priorities, but they count starts, and keep requests in memory that
 * should go back to a durable timer. cockatiel's breaker blocks all requests while its only probe hangs, and a create
 * may hang until its time-out.
 */
export function createBankLimiter(options: BankLimiterOptions): BankLimiter {
  const { maxRps, reconcileMaxRps = 0, pollActiveMs, observer } = options;
  const rate = maxRps === 0 ? null : new RateLimiter(maxRps);
  const reconciliationRate = reconcileMaxRps === 0 ? null : new RateLimiter(reconcileMaxRps);
  const verifications = new ConcurrencyLimiter(VERIFICATIONS_MAX);
  // Half for the pause between two probes, half to spread the returning requests: together at most one cadence.
  const openMs = pollActiveMs / 2;
  let breaker: CircuitBreaker = BREAKER_CLOSED;
  let circuitDeferrals = 0;
  let last: { readonly health: Health; readonly atMs: number } | null = null;

  const become = (next: CircuitBreaker): void => {
    const isNew = next.state !== breaker.state;
    breaker = next;
    if (isNew) observer?.breakerChanged(next.state);
  };

  /** How long a request that the open breaker defers must wait, in ms. */
  const circuitDelayMs = (nowMs: number): number => {
    circuitDeferrals += 1;
    const spreadMs = ((circuitDeferrals * GOLDEN_RATIO) % 1) * (pollActiveMs - openMs);
    const waitMs = breaker.state === 'closed' ? 0 : Math.max(0, breaker.untilMs - nowMs);
    return Math.max(1, Math.ceil(waitMs + spreadMs));
  };

  const rateOf = (request: BankRequest): RateLimiter | null =>
    request === 'reconciliation' ? reconciliationRate : null;

  /** The slots of a request: one of its kind's rate, if its kind has one, and one of the common rate. */
  const turn = async (
    request: BankRequest,
    returning: boolean,
  ): Promise<Served | Extract<Turn, { kind: 'later' }>> => {
    const { priority } = RULES[request];
    const own = rateOf(request);
    const ownTurn = own === null ? NOW : await own.turn(priority, { returning });
    if (ownTurn.kind === 'later') return ownTurn;
    const turnOfAll = rate === null ? NOW : await rate.turn(priority, { returning });
    if (turnOfAll.kind === 'later') {
      ownTurn.slot.giveBack();
      return turnOfAll;
    }
    const slots = [ownTurn.slot, turnOfAll.slot];
    return { kind: 'now', slots, waitedMs: ownTurn.waitedMs + turnOfAll.waitedMs };
  };

  const permitOf = (
    own: RateLimiter | null,
    turned: Served,
    as: Admitted | null,
    leavePlace: () => void,
  ): Permit => {
    const slots = [...turned.slots];
    let isMade = false;
    let isReleased = false;
    return {
      waitedMs: turned.waitedMs,
      left: () => slots.forEach((slot) => slot.leave()),
      repeat: async () => {
        for (const limiter of [own, rate]) {
          if (limiter === null) continue;
          const slot = await limiter.repeat();
          if (isReleased) slot.giveBack();
          else slots.push(slot);
        }
      },
      made: (health) => {
        if (isMade || isReleased) return;
        isMade = true;
        for (const slot of slots) slot.leave();
        if (as === null) return;
        const nowMs = performance.now();
        last = { health, atMs: nowMs };
        become(ended(breaker, { as, health }, { nowMs, openMs }));
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        for (const slot of slots) slot.giveBack();
        leavePlace();
        if (!isMade && as !== null) become(notMade(breaker, as, performance.now()));
      },
    };
  };

  return {
    async admit(request, { returning }) {
      const { priority, breaks } = RULES[request];
      const place: Place = request === 'verification' ? verifications.enter({ returning }) : ANY_PLACE;
      const defer = (reason: DeferralReason, afterMs: number): Admission => {
        if (place.kind === 'in') place.leave(false);
        observer?.deferred(priority, reason);
        return { kind: 'deferred', afterMs, reason };
      };
      if (place.kind === 'later') return defer('concurrency', place.afterMs);

      // Checked before the queue, so that requests that may not leave take no turns, and again when the turn comes.
      const enteredAtMs = performance.now();
      if (breaks && admit(breaker, { nowMs: enteredAtMs, openMs }).as === null) {
        return defer('circuit', circuitDelayMs(enteredAtMs));
      }
      const turned = await turn(request, returning);
      if (turned.kind === 'later') return defer('rate', turned.afterMs);
      const nowMs = performance.now();
      const judged = breaks ? admit(breaker, { nowMs, openMs }) : { as: null, breaker };
      if (breaks && judged.as === null) {
        for (const slot of turned.slots) slot.giveBack();
        return defer('circuit', circuitDelayMs(nowMs));
      }
      become(judged.breaker);
      observer?.waited(priority, turned.waitedMs);
      return {
        kind: 'admitted',
        permit: permitOf(rateOf(request), turned, judged.as, () => place.leave(true)),
      };
    },
    async next() {
      const enteredAtMs = performance.now();
      const slot = rate === null ? UNLIMITED_SLOT : await rate.repeat();
      const served = { kind: 'now', slots: [slot], waitedMs: performance.now() - enteredAtMs } as const;
      return permitOf(null, served, null, () => undefined);
    },
    reach: () => ({
      breaker: breaker.state,
      last: last === null ? null : { health: last.health, agoMs: performance.now() - last.atMs },
    }),
  };
}
