import type { VerificationReason } from '../domain/verification/flags';
import type { VerificationPast } from '../domain/verification/events';
import type { VerificationResult } from '../domain/verification/state';
import type { Meaning } from '../domain/verification/status-map';

/**
 * What Giro knows of each identity verification. Every method is one statement, safe to repeat; throws
 * `JournalUnavailable` when PostgreSQL cannot be reached.
 */
export interface VerificationJournal {
  /** Writes down that a verification is tracked (again, after it was stopped), and tells what is known of it. */
  openVerification(requestId: string): Promise<OpenedVerification>;
  /**
   * Records a word of the bank's (of a verification that the journal lacks too, as one that is tracked) unless it is the latest one already, its full answer when there is one to keep, and
   * the outcome when the word ends the verification; all in one statement. Returns the outcome that the journal holds
   * now: once there is one, nothing is added.
   */
  recordStatus(told: ToldWord): Promise<VerificationResult | null>;
  /** Writes the full set of open flags after a change (empty: all cleared). */
  recordVerificationFlags(requestId: string, reasons: readonly VerificationReason[]): Promise<void>;
  /** It is not to be asked for any more, until it is opened again. */
  stopVerification(requestId: string): Promise<void>;
}

export type OpenedVerification =
  | { readonly kind: 'ended'; readonly result: VerificationResult }
  | { readonly kind: 'open'; readonly past: VerificationPast };

export interface ToldWord {
  readonly requestId: string;
  /** In its recordable form. */
  readonly status: string;
  /** Null: not mapped. */
  readonly meaning: Meaning | null;
  /** ISO UTC. */
  readonly statusDate: string | null;
  /** SHA-256 of the answer's raw bytes, hex. */
  readonly evidenceSha256: string;
  readonly ends: boolean;
  /** JSON of the whole answer, to be kept encrypted; null: not kept. */
  readonly answerText: string | null;
}

/** Reading side, for commands. */
export interface VerificationRecords {
  verification(requestId: string): Promise<VerificationRecord | null>;
  /** Newest first. */
  verifications(filter: VerificationFilter): Promise<readonly VerificationRecord[]>;
  /** The latest full answer that is kept, opened. */
  verificationAnswer(requestId: string): Promise<StoredAnswer | null>;
}

export interface VerificationFilter {
  /** Of the latest word, compared exactly; null: any. */
  readonly status: string | null;
  readonly needsAttention: boolean;
  /** Only those that are tracked and have no outcome. */
  readonly isOpen: boolean;
  readonly limit: number;
}

/** A verification as the journal alone knows it. Times are ISO UTC. */
export interface VerificationRecord {
  readonly requestId: string;
  readonly openedAt: string;
  /** False: stopped. */
  readonly isTracked: boolean;
  readonly status: string | null;
  readonly statusDate: string | null;
  /** None once it has an outcome or is stopped: nobody has to see to it. */
  readonly attentionReasons: readonly string[];
  /** The bank's words in order, last 50. */
  readonly history: readonly { readonly status: string; readonly at: string }[];
  readonly result: VerificationResult | null;
  readonly endedAt: string | null;
  /** When the latest full answer was kept; null: none is. */
  readonly answerKeptAt: string | null;
}

export interface StoredAnswer {
  /** JSON: personal data. */
  readonly text: string;
  readonly keptAt: string;
}
