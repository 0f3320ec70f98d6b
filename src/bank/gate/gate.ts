import { CLOSED, attempt, ended, notMade } from './breaker';
import type { Attempt, Breaker, BreakerState, Health } from './breaker';
import { Pacer } from './pacer';
import type { Lane } from './pacer';
import { SideDoor } from './side-door';
import type { SideEntry } from './side-door';

/** Who waits for what. */
export type DeferralReason = 'rate' | 'circuit';

/** A request either goes, under a pass, or comes back after `afterMs`; nothing of it was claimed or sent. */
export type Entry =
  | { readonly kind: 'go'; readonly pass: Pass }
  | { readonly kind: 'later'; readonly afterMs: number; readonly reason: DeferralReason };

export interface Pass {
  readonly waitedMs: number;
  /** The request was made. To be told before `close`. */
  made(health: Health): void;
  /** Always to be called: a pass under which no request was made goes back. */
  close(): void;
}

/** What this worker knows of the bank from its own requests about movements: nothing is asked for the sake of knowing. */
export interface BankReach {
  readonly breaker: BreakerState;
  /** Null: nothing was asked yet. */
  readonly last: { readonly health: Health; readonly agoMs: number } | null;
}

/**
 * Stands before the bank in each worker: no more calls a second than it was told, and one probe in half a cadence
 * while the bank is away. To be asked before a request's number is claimed.
 */
export interface BankGate {
  /**
   * `returning`: the request was sent away before and comes at its moment. Lane `beside`: questions about movements
   * that have time.
   */
  enter(lane: Lane, options: { readonly returning: boolean }): Promise<Entry>;
  /**
   * A turn for a service beside the movements', out of what they leave of the rate. It neither asks nor tells the
   * breaker, because that service may be away while movements are served, and the other way round.
   */
  beside(options: { readonly returning: boolean }): Promise<SideEntry>;
  /** Waits for the turn of a further call under the same pass: the repetition after a 401. */
  repeat(): Promise<void>;
  reach(): BankReach;
}

export interface GateObserver {
  waited(lane: Lane, waitedMs: number): void;
  deferred(lane: Lane, reason: DeferralReason): void;
  breakerChanged(state: BreakerState): void;
}

export interface BankGateOptions {
  /** `BANK_MAX_RPS`; 0: no limit. */
  readonly maxRps: number;
  /** `POLL_ACTIVE`: longest that an open breaker delays a request once the bank is back. */
  readonly pollActiveMs: number;
  readonly observer?: GateObserver;
}

/** Fractional parts of its multiples spread evenly however many there are. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

export function createBankGate({ maxRps, pollActiveMs, observer }: BankGateOptions): BankGate {
  const pacer = maxRps === 0 ? null : new Pacer(maxRps);
  const sideDoor = new SideDoor(pacer);
  // Half for the pause between two probes, half to spread those that come back over: together one cadence at most.
  const openMs = pollActiveMs / 2;
  let breaker: Breaker = CLOSED;
  let deferrals = 0;
  let last: { readonly health: Health; readonly atMs: number } | null = null;

  const become = (next: Breaker): void => {
    const isNew = next.state !== breaker.state;
    breaker = next;
    if (isNew) observer?.breakerChanged(next.state);
  };
  const behindBreaker = (lane: Lane, nowMs: number): Entry => {
    deferrals += 1;
    const spreadMs = ((deferrals * GOLDEN_RATIO) % 1) * (pollActiveMs - openMs);
    const waitMs = breaker.state === 'closed' ? 0 : Math.max(0, breaker.untilMs - nowMs);
    observer?.deferred(lane, 'circuit');
    return { kind: 'later', afterMs: Math.max(1, Math.ceil(waitMs + spreadMs)), reason: 'circuit' };
  };
  const passOf = (as: Attempt, waitedMs: number): Pass => {
    let isOver = false;
    return {
      waitedMs,
      made: (health) => {
        if (isOver) return;
        isOver = true;
        const nowMs = performance.now();
        last = { health, atMs: nowMs };
        become(ended(breaker, { as, health }, { nowMs, openMs }));
      },
      close: () => {
        if (isOver) return;
        isOver = true;
        pacer?.giveBack();
        become(notMade(breaker, as, performance.now()));
      },
    };
  };

  return {
    async enter(lane, options) {
      // Looked at before the line, so that those who cannot go take no turns; and judged when the turn is there.
      const enteredAtMs = performance.now();
      if (attempt(breaker, { nowMs: enteredAtMs, openMs }).as === null)
        return behindBreaker(lane, enteredAtMs);
      const turn = await (pacer?.turn(lane, options) ?? { kind: 'now' as const, waitedMs: 0 });
      if (turn.kind === 'later') {
        observer?.deferred(lane, 'rate');
        return { ...turn, reason: 'rate' };
      }
      const nowMs = performance.now();
      const tried = attempt(breaker, { nowMs, openMs });
      if (tried.as === null) {
        pacer?.giveBack();
        return behindBreaker(lane, nowMs);
      }
      become(tried.breaker);
      observer?.waited(lane, turn.waitedMs);
      return { kind: 'go', pass: passOf(tried.as, turn.waitedMs) };
    },
    async beside(options) {
      const entry = await sideDoor.enter(options);
      if (entry.kind === 'later') observer?.deferred('beside', 'rate');
      else observer?.waited('beside', entry.waitedMs);
      return entry;
    },
    repeat: () => pacer?.repeat() ?? Promise.resolve(),
    reach: () => ({
      breaker: breaker.state,
      last: last === null ? null : { health: last.health, agoMs: performance.now() - last.atMs },
    }),
  };
}
