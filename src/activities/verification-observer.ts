import type { VerificationAnswer } from '../domain/verification/events';
import type { VerificationReason } from '../domain/verification/flags';
import type { VerificationResult } from '../domain/verification/state';

/** One look-up and its outcome: the request's id, a recordable status, codes. */
export interface QuestionReport {
  readonly requestId: string;
  readonly outcome: VerificationAnswer['kind'];
  /** The bank's status in its recordable form. */
  readonly status: string | null;
  /** The run did not know this status, or its meaning. */
  readonly isNews: boolean;
  /** Why the request had no readable answer. */
  readonly code: string | null;
  readonly httpStatus: number | null;
}

/** Called with the outcomes of verification steps, for logs and metrics; changes nothing. */
export interface VerificationObserver {
  asked(report: QuestionReport): void;
  ended(result: VerificationResult): void;
  flagsRecorded(flags: { readonly requestId: string; readonly reasons: readonly VerificationReason[] }): void;
}
