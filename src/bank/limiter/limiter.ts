import { admit, BREAKER_CLOSED, ended, notMade } from './circuit-breaker';
import type { Admitted, BreakerState, CircuitBreaker, Health } from './circuit-breaker';
import { ConcurrencyLimiter } from './concurrency-limiter';
import type { Place } from './concurrency-limiter';
import { RateLimiter } from './rate-limiter';
import type { Priority, Turn } from './rate-limiter';
import { UNLIMITED_SLOT } from './sliding-window';
import type { Slot } from './sliding-window';

/** Leaves most of a worker's activities (`worker/options.ts`) to movements, also when the service of verifications hangs. */
export const VERIFICATIONS_MAX = 16;

interface Rule {
  readonly priority: Priority;
  /** Asks and informs the circuit breaker. A service apart may be away while movements are served, and the reverse. */
  readonly breaks: boolean;
}

/** How each request to the bank is admitted. */
const RULES = {
  create: { priority: 'create', breaks: true },
  lookup: { priority: 'lookup', breaks: true },
  reconciliation: { priority: 'background', breaks: true },
  verification: { priority: 'background', breaks: false },
} as const satisfies Record<string, Rule>;

export type BankRequest = keyof typeof RULES;
export type MovementRequest = Extract<BankRequest, 'create' | 'lookup'>;

/** What a request waits for. */
export type DeferralReason = 'rate' | 'circuit' | 'concurrency';

/** A request either goes, under a permit, or comes back after `afterMs`; nothing of it was claimed or sent. */
export type Admission =
  | { readonly kind: 'admitted'; readonly permit: Permit }
  | { readonly kind: 'deferred'; readonly afterMs: number; readonly reason: DeferralReason };

/** What the bank client says of the calls of a request. */
export interface Departures {
  /** The call has left, or has failed on its way out: it counts for one second from now on. */
  left(): void;
  /** Waits for the turn of a further call: the repetition after a 401. */
  repeat(): Promise<void>;
}

export interface Permit extends Departures {
  readonly waitedMs: number;
  /** The request was made. To be called before `release`. */
  made(health: Health): void;
  /** Always to be called: what was not used goes back. */
  release(): void;
}

/** What this worker knows of the bank from its own requests about movements: nothing is asked for the sake of knowing. */
export interface BankReach {
  readonly breaker: BreakerState;
  /** Null: nothing was asked yet. */
  readonly last: { readonly health: Health; readonly agoMs: number } | null;
}

/**
 * Admission control of the requests of one worker to the bank. To be asked before a request's number is claimed; in this
 * order:
 * 1. concurrency: verifications, `VERIFICATIONS_MAX` in flight;
 * 2. circuit breaker: while the bank is away, one probe in half of `POLL_ACTIVE`;
 * 3. rates: `RECONCILE_MAX_RPS` for reconciliations, then `BANK_MAX_RPS` for all, by priority.
 */
export interface BankLimiter {
  /** `returning`: the request was deferred before, and comes at its moment. */
  admit(request: BankRequest, options: { readonly returning: boolean }): Promise<Admission>;
  /** The next slot of all, for a rare call that cannot be deferred: the check of subscriptions, those of commands. */
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
  /** `RECONCILE_MAX_RPS`; 0, the default: no limit of its own. */
  readonly reconcileMaxRps?: number;
  /** `POLL_ACTIVE`: longest that an open breaker delays a request once the bank is back. */
  readonly pollActiveMs: number;
  readonly observer?: LimiterObserver;
}

/** Fractional parts of its multiples spread evenly however many there are. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

interface Served {
  readonly kind: 'now';
  readonly slots: readonly Slot[];
  readonly waitedMs: number;
}

const ANY_PLACE: Place = { kind: 'in', leave: () => undefined };
const NOW = { kind: 'now', slot: UNLIMITED_SLOT, waitedMs: 0 } as const;

/*
 * Of libraries: `limiter`'s token bucket counts turns, not departures, and lets a burst leave beside a second's worth.
 * p-queue and bottleneck have priorities, but count starts, and keep in memory what should go back to a durable timer.
 * cockatiel's breaker holds everybody up while its one probe hangs, which a create may do for its whole time-out.
 */
export function createBankLimiter(options: BankLimiterOptions): BankLimiter {
  const { maxRps, reconcileMaxRps = 0, pollActiveMs, observer } = options;
  const rate = maxRps === 0 ? null : new RateLimiter(maxRps);
  const reconciliationRate = reconcileMaxRps === 0 ? null : new RateLimiter(reconcileMaxRps);
  const verifications = new ConcurrencyLimiter(VERIFICATIONS_MAX);
  // Half for the pause between two probes, half to spread those that come back over: together one cadence at most.
  const openMs = pollActiveMs / 2;
  let breaker: CircuitBreaker = BREAKER_CLOSED;
  let circuitDeferrals = 0;
  let last: { readonly health: Health; readonly atMs: number } | null = null;

  const become = (next: CircuitBreaker): void => {
    const isNew = next.state !== breaker.state;
    breaker = next;
    if (isNew) observer?.breakerChanged(next.state);
  };

  /** How long a request waits that the open breaker keeps away, in ms. */
  const circuitDelayMs = (nowMs: number): number => {
    circuitDeferrals += 1;
    const spreadMs = ((circuitDeferrals * GOLDEN_RATIO) % 1) * (pollActiveMs - openMs);
    const waitMs = breaker.state === 'closed' ? 0 : Math.max(0, breaker.untilMs - nowMs);
    return Math.max(1, Math.ceil(waitMs + spreadMs));
  };

  /** The slots of a request: that of its own rate, if it has one, and that of all requests. */
  const turn = async (
    request: BankRequest,
    returning: boolean,
  ): Promise<Served | Extract<Turn, { kind: 'later' }>> => {
    const { priority } = RULES[request];
    const own = request === 'reconciliation' ? reconciliationRate : null;
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

  const permitOf = (turned: Served, as: Admitted | null, leavePlace: () => void): Permit => {
    const slots = [...turned.slots];
    let isMade = false;
    let isReleased = false;
    return {
      waitedMs: turned.waitedMs,
      left: () => slots.forEach((slot) => slot.leave()),
      repeat: async () => {
        if (rate === null) return;
        const slot = await rate.repeat();
        if (isReleased) slot.giveBack();
        else slots.push(slot);
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

      // Looked at before the queue, so that those who cannot go take no turns; and judged when the turn is there.
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
      return { kind: 'admitted', permit: permitOf(turned, judged.as, () => place.leave(true)) };
    },
    async next() {
      const enteredAtMs = performance.now();
      const slot = rate === null ? UNLIMITED_SLOT : await rate.repeat();
      const served = { kind: 'now', slots: [slot], waitedMs: performance.now() - enteredAtMs } as const;
      return permitOf(served, null, () => undefined);
    },
    reach: () => ({
      breaker: breaker.state,
      last: last === null ? null : { health: last.health, agoMs: performance.now() - last.atMs },
    }),
  };
}
