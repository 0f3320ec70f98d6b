import type { VerificationReason } from './flags';
import type { Meaning } from './status-map';

/** What the journal knows of an open verification when a run takes it up. Ages in ms by the journal's clock. */
export interface VerificationPast {
  /** False: this run is the first that tracks it, so nothing was asked yet. */
  readonly wasTracked: boolean;
  readonly sinceOpenedMs: number;
  /** The bank's words in order, oldest first, last 50. */
  readonly words: readonly PastWord[];
  readonly openFlags: readonly VerificationReason[];
}

export interface PastWord {
  readonly status: string;
  readonly meaning: Meaning | null;
  readonly statusDate: string | null;
  readonly sinceMs: number;
}
