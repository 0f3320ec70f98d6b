/**
 * A circuit breaker as a pure state machine: while the bank is away or answers 5xx, requests wait and one at a time
 * tries the way. Opens after a run of bad ends; a good one, from whichever request, closes it.
 */
export type Breaker =
  | { readonly state: 'closed'; readonly badRun: number }
  | { readonly state: 'open'; readonly untilMs: number }
  /** One request, the probe, is under way. One that hangs holds nobody up: after `untilMs` another may probe beside it. */
  | { readonly state: 'half-open'; readonly untilMs: number };

export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** `good`: the bank answered. `bad`: not reached, or 5xx. `unclear`: neither, such as a time-out. */
export type Health = 'good' | 'bad' | 'unclear';

/** Bad ends running, over all requests of a worker, before it opens: one broken movement alone is asked on. */
export const BAD_RUN_MAX = 10;

export const CLOSED: Breaker = { state: 'closed', badRun: 0 };

export type Attempt = 'plain' | 'probe';

/** A request wants to go: as what it may (`openMs`: how long a probe has the way to itself), or null when it has to wait; with the breaker after it. */
export function attempt(
  breaker: Breaker,
  { nowMs, openMs }: { readonly nowMs: number; readonly openMs: number },
): { readonly as: Attempt | null; readonly breaker: Breaker } {
  if (breaker.state === 'closed') return { as: 'plain', breaker };
  if (nowMs >= breaker.untilMs) {
    return { as: 'probe', breaker: { state: 'half-open', untilMs: nowMs + openMs } };
  }
  return { as: null, breaker };
}

/** A request that went has ended. `openMs`: how long it stays open before the next probe. */
export function ended(
  breaker: Breaker,
  { as, health }: { readonly as: Attempt; readonly health: Health },
  { nowMs, openMs }: { readonly nowMs: number; readonly openMs: number },
): Breaker {
  if (health === 'good') return CLOSED;
  // A probe that ends when another one has settled the matter is a request like others.
  if (as === 'probe' && breaker.state === 'half-open') return { state: 'open', untilMs: nowMs + openMs };
  if (breaker.state !== 'closed' || health === 'unclear') return breaker;
  const badRun = breaker.badRun + 1;
  return badRun < BAD_RUN_MAX ? { state: 'closed', badRun } : { state: 'open', untilMs: nowMs + openMs };
}

/** A request that was let through did not go after all: the next one may probe in its place. */
export function notMade(breaker: Breaker, as: Attempt, nowMs: number): Breaker {
  return as === 'probe' && breaker.state === 'half-open' ? { state: 'open', untilMs: nowMs } : breaker;
}
