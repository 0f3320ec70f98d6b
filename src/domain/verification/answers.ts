import type { RequestError } from '../transfer/answers';
import type { VerificationResult } from './result';
import type { Meaning } from './status-map';

/**
 * What came of asking for a verification once. These values enter the workflow's history, so they hold the request's
 * status and error codes, and nothing about a person.
 */
export type VerificationAnswer =
  | ({ readonly kind: 'status'; readonly retryAfterMs: number | null } & SeenStatus)
  /** The answer is about another request: nothing else of it is taken over. */
  | { readonly kind: 'mismatch'; readonly retryAfterMs: number | null }
  /** The bank knows no such request. */
  | { readonly kind: 'not-found'; readonly retryAfterMs: number | null }
  | { readonly kind: 'no-answer'; readonly error: RequestError }
  /** The outcome, written down in the journal before this was told. */
  | { readonly kind: 'outcome'; readonly result: VerificationResult };

/** A readable status, judged by the status map of the worker that asked. */
export interface SeenStatus {
  /** In its recordable form (`recordableWord`). */
  readonly status: string;
  /** Null: not mapped. */
  readonly meaning: Meaning | null;
  /** ISO UTC. */
  readonly statusDate: string | null;
  /** The answer names the request. Without that a final word ends nothing. */
  readonly isEchoed: boolean;
  /** The word before this one means, by the present map, an outcome that this one does not mean. */
  readonly leftFinal: boolean;
}

export function verificationRetryAfterMs(answer: VerificationAnswer): number {
  switch (answer.kind) {
    case 'outcome':
      return 0;
    case 'no-answer':
      return answer.error.retryAfterMs ?? 0;
    case 'status':
    case 'mismatch':
    case 'not-found':
      return answer.retryAfterMs ?? 0;
  }
}
