/**
 * A circuit breaker as a pure state machine: while the bank is unreachable or answers 5xx, requests wait, except one
 * probe in each `openMs`. The breaker opens after several bad ends in a row; a good end of any request closes it.
 */
export type CircuitBreaker =
  | { readonly state: 'closed'; readonly badRun: number }
  | { readonly state: 'open'; readonly untilMs: number }
  /** The probe is in flight. If it hangs, another probe may be sent after `untilMs`. */
  | { readonly state: 'half-open'; readonly untilMs: number };

export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** `good`: the bank answered. `bad`: not reached, or 5xx. `unclear`: neither, such as a time-out. */
export type Health = 'good' | 'bad' | 'unclear';

/**
 * Bad ends in a row that open the breaker, over the movement requests of a worker: creates, look-ups, inquiries. So one
 * broken movement does not open the breaker.
 */
export const BAD_RUN_MAX = 10;

export const BREAKER_CLOSED: CircuitBreaker = { state: 'closed', badRun: 0 };

export type Admitted = 'plain' | 'probe';

interface Moment {
  readonly nowMs: number;
  /** Time from one probe to the next. */
  readonly openMs: number;
}

/** Admits a request as plain or probe; null: the request must wait. Also returns the new state of the breaker. */
export function admit(
  breaker: CircuitBreaker,
  { nowMs, openMs }: Moment,
): { readonly as: Admitted | null; readonly breaker: CircuitBreaker } {
  if (breaker.state === 'closed') return { as: 'plain', breaker };
  if (nowMs < breaker.untilMs) return { as: null, breaker };
  return { as: 'probe', breaker: { state: 'half-open', untilMs: nowMs + openMs } };
}

/** The state of the breaker after a request that was made. */
export function ended(
  breaker: CircuitBreaker,
  { as, health }: { readonly as: Admitted; readonly health: Health },
  { nowMs, openMs }: Moment,
): CircuitBreaker {
  if (health === 'good') return BREAKER_CLOSED;
  // If another probe has closed or opened the breaker meanwhile, this probe counts as an ordinary request.
  if (as === 'probe' && breaker.state === 'half-open') return { state: 'open', untilMs: nowMs + openMs };
  if (breaker.state !== 'closed' || health === 'unclear') return breaker;
  const badRun = breaker.badRun + 1;
  return badRun < BAD_RUN_MAX ? { state: 'closed', badRun } : { state: 'open', untilMs: nowMs + openMs };
}

/** The state of the breaker after an admitted request that was not made: the next request may be the probe. */
export function notMade(breaker: CircuitBreaker, as: Admitted, nowMs: number): CircuitBreaker {
  return as === 'probe' && breaker.state === 'half-open' ? { state: 'open', untilMs: nowMs } : breaker;
}
