import type { Movement } from '../domain/movement';
import type { TransferOrder } from '../domain/order';
import type { IdentityVerification } from '../domain/verification/identity-verification';
import type { MovementKey } from './movements/port';
import type { WebhookSubscription } from './webhooks/webhook-port';

/**
 * The wire format of one bank: paths, bodies, field names, dates and statuses of each service. Everything else about a
 * call (connection, token, signature, deadline, meaning of HTTP statuses) is the same for every bank, and not part of a
 * dialect. JSON comes from `parseJson`: numbers keep their text.
 */
export interface BankDialect {
  readonly movements: MovementDialect;
  readonly verifications: VerificationDialect;
  readonly webhooks: WebhookDialect;
}

/** A request as the bank wants it; the client adds token, signature and headers. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  /** Without `?`; empty: none. */
  readonly query: string;
  /** JSON, sent in UTF-8 byte for byte; null: no body. */
  readonly body: string | null;
}

export interface MovementDialect {
  /**
   * The body of a create: the same order gives the same text. The journal records its SHA-256 at receipt; a create
   * whose body differs later is not sent. Amounts and ids keep every digit.
   */
  readonly createBody: (order: TransferOrder) => string;
  readonly create: (body: string) => WireRequest;
  /** `raw`: the network's own format, for operators. Throws if the originId is not decimal digits. */
  readonly lookUp: (key: MovementKey, options: { readonly raw: boolean }) => WireRequest;
  /**
   * The Movement in an answer to a create or a look-up; null: none, or an unreadable one. If a field that decides
   * (status, movement id, fields of the echo) has a wrong type, the answer is not a Movement. Absent fields are null.
   */
  readonly readMovement: (json: unknown) => Movement | null;
}

export interface VerificationDialect {
  /** `method`: `BANK_KYC_METHOD`, for banks whose documents leave the method open. */
  readonly query: (requestId: string, method: 'GET' | 'POST') => WireRequest;
  /**
   * Null: no verification. Also reads the answers that the journal keeps, so a later version must still read old
   * answers.
   */
  readonly readVerification: (json: unknown) => IdentityVerification | null;
}

export interface WebhookDialect {
  readonly list: () => WireRequest;
  /** Null: no list of subscriptions. */
  readonly readSubscriptions: (json: unknown) => readonly WebhookSubscription[] | null;
  readonly unsubscribe: (eventType: string) => WireRequest;
}
