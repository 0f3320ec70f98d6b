import type { CreateReply, LookupReply } from '../movements/port';
import type { RequestErrorCode } from '../../domain/transfer/answers';

/**
 * A circuit breaker as a pure state machine: while the bank is away or answers 5xx, requests wait and one probe at a time
 * goes. Opens after a run of bad ends; a good one, from whichever request, closes it.
 */
export type CircuitBreaker =
  | { readonly state: 'closed'; readonly badRun: number }
  | { readonly state: 'open'; readonly untilMs: number }
  /** The probe is in flight. One that hangs holds nobody up: after `untilMs` another may go. */
  | { readonly state: 'half-open'; readonly untilMs: number };

export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** `good`: the bank answered. `bad`: not reached, or 5xx. `unclear`: neither, such as a time-out. */
export type Health = 'good' | 'bad' | 'unclear';

/** Bad ends running, over all requests of a worker, before it opens: one broken movement alone is asked on. */
export const BAD_RUN_MAX = 10;

export const BREAKER_CLOSED: CircuitBreaker = { state: 'closed', badRun: 0 };

export type Admitted = 'plain' | 'probe';

interface Moment {
  readonly nowMs: number;
  /** From one probe to the next. */
  readonly openMs: number;
}

/** Admits a request as plain or probe; null means wait. With the breaker after it. */
export function admit(
  breaker: CircuitBreaker,
  { nowMs, openMs }: Moment,
): { readonly as: Admitted | null; readonly breaker: CircuitBreaker } {
  if (breaker.state === 'closed') return { as: 'plain', breaker };
  if (nowMs < breaker.untilMs) return { as: null, breaker };
  return { as: 'probe', breaker: { state: 'half-open', untilMs: nowMs + openMs } };
}

/** The breaker after a request that was made. */
export function ended(
  breaker: CircuitBreaker,
  { as, health }: { readonly as: Admitted; readonly health: Health },
  { nowMs, openMs }: Moment,
): CircuitBreaker {
  if (health === 'good') return BREAKER_CLOSED;
  // A probe that ends after another one has closed or opened the breaker is a request like others.
  if (as === 'probe' && breaker.state === 'half-open') return { state: 'open', untilMs: nowMs + openMs };
  if (breaker.state !== 'closed' || health === 'unclear') return breaker;
  const badRun = breaker.badRun + 1;
  return badRun < BAD_RUN_MAX ? { state: 'closed', badRun } : { state: 'open', untilMs: nowMs + openMs };
}

/** The breaker after an admitted request that was not made: the next one may be the probe. */
export function notMade(breaker: CircuitBreaker, as: Admitted, nowMs: number): CircuitBreaker {
  return as === 'probe' && breaker.state === 'half-open' ? { state: 'open', untilMs: nowMs } : breaker;
}

/** The bank was not reached. */
const UNREACHED: ReadonlySet<RequestErrorCode> = new Set<RequestErrorCode>([
  'CONNECTION_REFUSED',
  'NAME_LOOKUP',
  'TLS',
  'UNREACHABLE',
]);

/** Not the bank's own word, or none: a page of something in between, a time-out, an answer cut short. */
const UNCLEAR: ReadonlySet<RequestErrorCode> = new Set<RequestErrorCode>([
  'TIMEOUT',
  'CONNECTION_LOST',
  'REDIRECT',
  'UNREADABLE',
  'TOO_LARGE',
]);

/**
 * What an end says of the bank's health; null when no request was made, for want of a token. A readable refusal, a
 * not-found and any 4xx come from a bank that works.
 */
export function healthOf(reply: CreateReply | LookupReply): Health | null {
  if (!('error' in reply)) return 'good';
  const { code, httpStatus } = reply.error;
  if (code === 'CREDENTIALS') return null;
  const isUnsent = reply.kind === 'not-sent' || (reply.kind === 'no-answer' && reply.isUnsent === true);
  if (isUnsent || UNREACHED.has(code) || (httpStatus !== null && httpStatus >= 500)) return 'bad';
  return UNCLEAR.has(code) ? 'unclear' : 'good';
}
