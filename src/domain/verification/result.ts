import type { VerificationOutcome } from './status-map';

/** The result of workflow `identityVerification` (contract section 3). */
export interface VerificationResult {
  readonly requestId: string;
  readonly outcome: VerificationOutcome;
  /** The bank's word. */
  readonly status: string;
  /** ISO UTC; null: the answer had none that could be read. */
  readonly statusDate: string | null;
}
