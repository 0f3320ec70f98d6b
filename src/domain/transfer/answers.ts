import type { EchoField, EchoVerdict } from '../echo';

/**
 * The outcome of one numbered request about a movement, as the state machine receives it. These values enter the
 * workflow's history, so they hold identifiers, statuses and error codes, and no personal data.
 */

/** A readable movement, already compared with the order. */
export interface SeenMovement {
  /** The bank's status in its recordable form (`recordableStatus`). */
  readonly status: string;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  readonly postingAt: string | null;
  readonly completedAt: string | null;
  readonly echo: EchoVerdict;
  /** The fields that differ (mismatch) or are absent (incomplete). */
  readonly echoFields: readonly EchoField[];
  /** Amount and currency, for people who decide. Absent when the echo matches: then both are as ordered. */
  readonly reported?: ReportedMoney;
  /** SHA-256 of the answer's raw bytes, hex. */
  readonly evidenceSha256: string;
}

/** The money that an answer reports as moved; null: not reported, or unreadable. */
export interface ReportedMoney {
  /** A decimal with at least two decimals, at most 13 integer digits and six decimals. */
  readonly amount: string | null;
  /** Three capital letters, or up to three digits, as reported. */
  readonly currency: string | null;
}

/** Stable codes for requests without a readable answer. */
export const REQUEST_ERROR_CODES = [
  'TIMEOUT',
  'CONNECTION_REFUSED',
  'CONNECTION_LOST',
  'NAME_LOOKUP',
  'TLS',
  'UNREACHABLE',
  'HTTP_STATUS',
  'REDIRECT',
  'UNAUTHORIZED',
  'RATE_LIMITED',
  'UNREADABLE',
  'NOT_A_MOVEMENT',
  'TOO_LARGE',
  'CREDENTIALS',
  'TOO_LATE',
  'REPEATED_STEP',
  'NOT_A_VERIFICATION',
  'STEP_LOST',
  'IN_CLEAR',
  'ANOTHER_ORDER',
  'ANOTHER_BODY',
  'BEYOND_LIMITS',
  'PROOF_MISSING',
  'PROOF_MALFORMED',
  'PROOF_KEY_UNKNOWN',
  'PROOF_WRONG',
  'PROOF_KEY_RETIRED',
  'PROOF_FROM_ACCOUNT',
  'PROOF_TO_ACCOUNT',
  'PROOF_AMOUNT',
] as const;
export type RequestErrorCode = (typeof REQUEST_ERROR_CODES)[number];

/** Why the proof of an order is refused (`ORDER_SIGNERS_FILE`): sentences for people, to follow the word `proof`. */
export const PROOF_FAULTS = {
  PROOF_MISSING: 'is required (ORDER_SIGNERS_FILE)',
  PROOF_MALFORMED: 'is not in the form of a proof',
  PROOF_KEY_UNKNOWN: 'names a key that is not in ORDER_SIGNERS_FILE',
  PROOF_WRONG: 'is not a signature of this order by the key that it names',
  PROOF_KEY_RETIRED: 'is of a key that was retired before the order was received (notAfter)',
  PROOF_FROM_ACCOUNT: 'is of a key that may not send from this account (fromAccounts)',
  PROOF_TO_ACCOUNT: 'is of a key that may not pay this account (toAccounts)',
  PROOF_AMOUNT: 'is of a key that may not order this amount (amountMax)',
} as const satisfies Partial<Record<RequestErrorCode, string>>;
export type ProofFault = keyof typeof PROOF_FAULTS;

/** Why an order in the journal is not sent (`ORDER_TAMPERED`): sentences for people. */
export const UNBELIEVED_ORDERS = {
  IN_CLEAR: 'the journal holds the order in clear, although there is a key ring (CODEC_CLEAR_BEFORE)',
  ANOTHER_ORDER: 'the order does not match the fingerprint written at its receipt',
  ANOTHER_BODY: 'the order gives another create body than at its receipt',
  BEYOND_LIMITS: 'the limits of this worker forbid the order',
  ...PROOF_FAULTS,
} as const satisfies Partial<Record<RequestErrorCode, string>>;
export type UnbelievedOrder = keyof typeof UNBELIEVED_ORDERS;

export const isUnbelieved = (
  error: RequestError,
): error is RequestError & { readonly code: UnbelievedOrder } => error.code in UNBELIEVED_ORDERS;

export interface RequestError {
  readonly code: RequestErrorCode;
  readonly httpStatus: number | null;
  /** The bank's Retry-After: another lower bound of the gap. */
  readonly retryAfterMs: number | null;
}

/** The four ends of a create (contract 4.2). `unknown`: any outcome that is not surely one of the others. */
export type CreateAnswer =
  | { readonly kind: 'answered'; readonly movement: SeenMovement; readonly retryAfterMs?: number | null }
  | { readonly kind: 'not-sent'; readonly error: RequestError }
  /** `code`: the bank's refusal code if it has the form of a code, never its text. */
  | {
      readonly kind: 'refused';
      readonly httpStatus: number;
      readonly code: string | null;
      readonly retryAfterMs?: number | null;
    }
  | { readonly kind: 'unknown'; readonly error: RequestError };

/** Whether a create may have reached the bank: true unless it surely was not sent. `null`: no answer is recorded. */
export const mayHaveArrived = (answer: CreateAnswer | null): boolean => answer?.kind !== 'not-sent';

/** The ends of a get-movement. */
export type LookupAnswer =
  | { readonly kind: 'movement'; readonly movement: SeenMovement; readonly retryAfterMs?: number | null }
  | { readonly kind: 'not-found'; readonly retryAfterMs?: number | null }
  | { readonly kind: 'no-answer'; readonly error: RequestError };

/** The bank's Retry-After of any answer: another lower bound of the gap. */
export function retryAfterOf(answer: CreateAnswer | LookupAnswer): number | null {
  return 'error' in answer ? answer.error.retryAfterMs : (answer.retryAfterMs ?? null);
}
