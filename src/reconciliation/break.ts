import type { Book, Money } from './books';

/** The classes of the public contract (section 6). */
export const BREAK_CLASSES = [
  'MISSING_AT_BANK',
  'MISSING_IN_JOURNAL',
  'UNKNOWN_OUTCOME',
  'STATE_MISMATCH',
  'AMOUNT_MISMATCH',
  'CURRENCY_MISMATCH',
  'COUNTERPARTY_MISMATCH',
  'SOURCE_MISMATCH',
  'DUPLICATE',
  'LATE',
  'ORPHAN_AT_BANK',
  'MISSING_ANNULMENT',
  'ANNULMENT_WITHOUT_FAILED',
  'RUN_LOST',
  'QUERY_ERROR',
] as const;
export type BreakClass = (typeof BREAK_CLASSES)[number];

/** Least urgent first. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const BREAK_STATES = ['open', 'acknowledged', 'resolved'] as const;
export type BreakState = (typeof BREAK_STATES)[number];

/** Hash and time of the bank's answer or of the statement file. */
export interface BreakEvidence {
  readonly sha256: string | null;
  /** ISO UTC. */
  readonly at: string;
}

/** A difference as one run sees it. */
export interface FoundBreak {
  /** The same each time the difference is seen: class, sub-case and originId, or the bank's id of an orphan. */
  readonly key: string;
  readonly class: BreakClass;
  /** Which difference of the class, in capital letters: a key of `differences.ts`. */
  readonly subCase: string;
  /** Null: an orphan without an originId. */
  readonly originId: number | null;
  readonly severity: Severity;
  /** A sentence for people: identifiers and statuses, no personal data. */
  readonly detail: string;
  /** Money at stake; null: unknown. */
  readonly amount: Money | null;
  readonly evidence: BreakEvidence | null;
  /** The book that shows the difference. A later run resolves the break only if it has checked this book. */
  readonly book: Book;
  /**
   * Equal as long as the difference is unchanged. A break resolved by hand opens again only when the fact changes, or
   * after the difference was gone.
   */
  readonly fact: string;
}

/** A difference and its state (contract section 6). `firstSeen` and `lastSeen` are the `asOf` of runs. */
export interface Break extends FoundBreak {
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly state: BreakState;
  /** Who resolved the break; null: unresolved. */
  readonly resolvedBy: 'run' | 'operator' | null;
  /** Operator and text of the acknowledgement or of the resolution by hand; null: neither. */
  readonly operator: string | null;
  readonly note: string | null;
  /**
   * For a break resolved by hand: the resolved fact, as long as runs still see it. Null once a run has checked and not
   * seen it; if a later run sees the fact again, the break opens again.
   */
  readonly resolvedFact: string | null;
}

/** By severity (most severe first), class and key: the same breaks always have the same order. */
export function inOrder(breaks: readonly Break[]): Break[] {
  return [...breaks].sort(
    (a, b) =>
      SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
      BREAK_CLASSES.indexOf(a.class) - BREAK_CLASSES.indexOf(b.class) ||
      compareText(a.key, b.key),
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
