import type { Movement } from '../../domain/movement';
import type { TransferOrder } from '../../domain/order';
import type { RequestError } from '../../domain/transfer/answers';
import type { Departures } from '../limiter/limiter';

/** The bank's two money services. Everything that the bank or the network does is a return value; only a bug throws. */
export interface BankClient {
  /** The exact text of the order's creates, for the journal to keep. */
  createBody(order: TransferOrder): string;
  /** Sends these exact bytes (UTF-8) as a create. */
  createTransfer(body: string, context: RequestContext): Promise<CreateReply>;
  getMovement(key: MovementKey, context: RequestContext): Promise<LookupReply>;
  /** The network's own format, parsed and unchanged; only for operators. */
  getRawMovement(key: MovementKey, context: RequestContext): Promise<RawReply>;
}

export interface RequestContext {
  /** Workflow time, ISO UTC: sent as `X-Giro-Time` when the sandbox switch is on. Null outside a workflow. */
  readonly workflowTime: string | null;
  /** The limiter's permit for the request; without one, each call takes the next slot. */
  readonly permit?: Departures;
  /**
   * Asked immediately before the request leaves: for how long, in ms, it may still leave or be in flight. 0 or less: it is
   * too late, and nothing is sent. Default: for ever.
   */
  readonly leaveWithinMs?: (() => number) | undefined;
}

/**
 * One of the ids of a movement. `originId`: decimal digits as text, because a double may not represent the number
 * exactly.
 */
export type MovementKey =
  { readonly originId: string } | { readonly networkId: string } | { readonly debinId: string };

/** A movement with the SHA-256 (hex) of the answer's raw bytes. */
export interface Evidence {
  readonly movement: Movement;
  readonly evidenceSha256: string;
}

/** The bank's Retry-After of a readable answer; errors have their own. */
interface RetryAfter {
  readonly retryAfterMs?: number | null;
}

/**
 * `answered` means only that a readable Movement came with a 2xx; the caller must check whether its echo matches the
 * order.
 */
export type CreateReply =
  | ({ readonly kind: 'answered' } & Evidence & RetryAfter)
  | { readonly kind: 'not-sent'; readonly error: RequestError }
  | ({ readonly kind: 'refused'; readonly httpStatus: number; readonly code: string | null } & RetryAfter)
  | { readonly kind: 'unknown'; readonly error: RequestError };

export type LookupReply =
  | ({ readonly kind: 'movement' } & Evidence & RetryAfter)
  | ({ readonly kind: 'not-found' } & RetryAfter)
  /** `isUnsent`: surely no byte of the last call was sent, as after a time-out while connecting. */
  | { readonly kind: 'no-answer'; readonly error: RequestError; readonly isUnsent?: true };

export type RawReply =
  | { readonly kind: 'raw'; readonly value: unknown }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'no-answer'; readonly error: RequestError };
