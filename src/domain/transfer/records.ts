import type { CreateAnswer, LookupAnswer } from './answers';
import type { DecisionRecord } from './decisions/decision';
import type { AttentionReason } from './flags';

/**
 * The journal's rows of one transfer. `factsOf` derives from them everything that is shown or decided without the run.
 * Times are ms since 1970 by the journal's clock; `recordId` orders rows of all kinds as they were written.
 */
export interface TransferRecords {
  readonly readAtMs: number;
  readonly openedAtMs: number;
  /** By number: every create and withdrawal, every look-up with a recorded answer, and the last request. */
  readonly requests: readonly RequestLine[];
  /** All claimed get-movements, including those without news. */
  readonly polls: number;
  readonly lastPolledAtMs: number | null;
  /** By `recordId`, like flags and doubts. */
  readonly decisions: readonly DecisionLine[];
  readonly flags: readonly FlagsLine[];
  readonly doubts: readonly DoubtLine[];
}

/** The rows as they will be after these decisions of a run are recorded. */
export function withDecisions(
  records: TransferRecords,
  unwritten: readonly DecisionRecord[],
): TransferRecords {
  const written = new Set(records.decisions.map(({ id }) => id));
  const coming = unwritten.filter(({ id }) => !written.has(id));
  const recordId = Number.MAX_SAFE_INTEGER;
  return {
    ...records,
    decisions: [
      ...records.decisions,
      ...coming.map((record) => ({ ...record, recordId, atMs: records.readAtMs })),
    ],
  };
}

/** The purposes for which a number can be claimed. */
export const REQUEST_KINDS = ['create', 'lookup', 'withdrawal'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

export interface RequestLine {
  readonly number: number;
  readonly kind: RequestKind;
  readonly claimedAtMs: number;
  /** Null: no recorded answer. A look-up with the same answer as the row before has none. */
  readonly answer: AnswerLine | null;
}

export interface AnswerLine {
  readonly recordId: number;
  readonly atMs: number;
  readonly value: CreateAnswer | LookupAnswer;
}

export interface DecisionLine extends DecisionRecord {
  readonly recordId: number;
  readonly atMs: number;
}

/** The full set of open flags after a change. */
export interface FlagsLine {
  readonly recordId: number;
  readonly atMs: number;
  readonly reasons: readonly AttentionReason[];
  /** For `JOURNAL_CONFLICT`: what the journal refused, and why. */
  readonly conflict: string | null;
}

/**
 * Why a create may have reached the bank without a row in the journal.
 *
 * - `restored`: the journal was restored from a backup.
 * - `requests-lost`: a run knew of more requests than the journal, or completed with an end that the journal lacks.
 * - `journal-changed`: a create was retried under another PostgreSQL than the one noted at receipt.
 */
export const DOUBT_REASONS = ['restored', 'requests-lost', 'journal-changed'] as const;
export type DoubtReason = (typeof DOUBT_REASONS)[number];

export interface DoubtLine {
  readonly recordId: number;
  readonly atMs: number;
  readonly reason: DoubtReason;
}

/** The requests that a run made, as far as it knows. */
export interface KnownRequests {
  readonly lastNumber: number;
  /** Creates that may have reached the bank. */
  readonly sends: number;
  /** A create whose step was tried without an answer, and the journal that would have its claim; null: none. */
  readonly tried: { readonly number: number; readonly journalId: string } | null;
}

/** The emergency brake as the journal has it: who stopped the sending of creates, when (ISO UTC), and why. */
export interface SendingStop {
  readonly at: string;
  readonly operator: string;
  readonly reason: string;
}
