import type { VerificationReason } from './flags';
import type { VerificationResult, VerificationSettings } from './state';
import type { Meaning } from './status-map';
import type { RequestError } from '../transfer/answers';

/** The events of a verification. `atMs`: by the run's clock. */
export type VerificationEvent = { readonly atMs: number } & (
  | {
      readonly kind: 'received';
      readonly settings: VerificationSettings;
      readonly recorded: RecordedVerification;
    }
  | { readonly kind: 'already-ended'; readonly result: VerificationResult }
  | {
      readonly kind: 'asked';
      readonly startedAtMs: number;
      readonly answer: VerificationAnswer;
      /** Null: the step was lost with its settings; the known ones stay. */
      readonly settings: VerificationSettings | null;
    }
  /** The rate limit defers the look-up: none was made. */
  | { readonly kind: 'deferred'; readonly afterMs: number }
  | { readonly kind: 'flags-recorded'; readonly reasons: readonly VerificationReason[] }
  | { readonly kind: 'hinted' }
);

/** What the journal knows of an open verification when a run takes it up. Ages in ms by the journal's clock. */
export interface RecordedVerification {
  /** False: this run is the first that tracks it, so nothing was asked yet. */
  readonly wasTracked: boolean;
  readonly sinceOpenedMs: number;
  /** The bank's statuses, oldest first, last 50. */
  readonly statuses: readonly RecordedStatus[];
  readonly openFlags: readonly VerificationReason[];
}

interface RecordedStatus {
  readonly status: string;
  readonly meaning: Meaning | null;
  readonly statusDate: string | null;
  readonly sinceMs: number;
}

/**
 * The outcome of one look-up of a verification. These values enter the workflow's history, so they hold the request's
 * status and error codes, and no personal data.
 */
export type VerificationAnswer =
  | ({ readonly kind: 'status'; readonly retryAfterMs: number | null } & SeenStatus)
  /** The answer is about another request: nothing else in it counts. */
  | { readonly kind: 'mismatch'; readonly retryAfterMs: number | null }
  /** The bank knows no such request. */
  | { readonly kind: 'not-found'; readonly retryAfterMs: number | null }
  | { readonly kind: 'no-answer'; readonly error: RequestError }
  /** The outcome, already recorded in the journal. */
  | { readonly kind: 'outcome'; readonly result: VerificationResult };

/** A readable status, with its meaning by the status map of the worker that asked. */
export interface SeenStatus {
  /** In its recordable form (`recordableKycStatus`). */
  readonly status: string;
  /** Null: not mapped. */
  readonly meaning: Meaning | null;
  /** ISO UTC. */
  readonly statusDate: string | null;
  /** The answer names the request. Otherwise a final status does not end the verification. */
  readonly isEchoed: boolean;
  /** By the current map, the previous status means an outcome that this one does not mean. */
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
