import { NOT_ASKED_REASONS } from './books';
import type { Book } from './books';
import type { Break, BreakClass, Severity } from './break';

export const OUTCOMES = ['CLEAN', 'BREAKS', 'PARTIAL'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Number of things and their sum in pesos, a decimal string with two decimals. */
export interface Tally {
  readonly count: number;
  readonly amount: string;
}

/**
 * Control totals: each book by its own statuses, over the same transfers. So journal, bank and engine have the same sum
 * as `transfers`.
 */
export interface ControlTotals {
  readonly transfers: Tally;
  /** By result, or `OPEN`, or `NOT_IN_JOURNAL`. */
  readonly journal: Readonly<Record<string, Tally>>;
  /** By the bank's status, or `NOT_FOUND`, `NO_ANSWER`, `NOT_RECORDED`, `NOT_ASKED`. */
  readonly bank: Readonly<Record<string, Tally>>;
  /** By `OPEN`, `COMPLETED`, …, `MISSING`, `UNKNOWN`. */
  readonly engine: Readonly<Record<string, Tally>>;
  /** Recorded annulments of these transfers, by their own amounts. */
  readonly annulments: Tally;
  /** Statement lines that belong to these transfers, by `DEBIT` and `CREDIT`, by their own amounts. */
  readonly statement: Readonly<Record<string, Tally>>;
}

/** Why a book could not be checked. */
export const NOT_CHECKED_REASONS = [
  ...NOT_ASKED_REASONS,
  'NO_ANSWER',
  /** The journal refused to record the inquiry or its answer. */
  'NOT_RECORDED',
  'ENGINE_UNREACHABLE',
  /** The order does not open: its key is not in the ring, or the row was altered. */
  'ORDER_UNREADABLE',
  /** The counterparty of a statement's line does not open: its key is not in the ring, or the row was altered. */
  'LINE_UNREADABLE',
] as const;

export interface NotAsked {
  readonly originId: number;
  readonly book: Book;
  readonly reason: (typeof NOT_CHECKED_REASONS)[number];
}

/**
 * The report's link in the chain of reports (docs/signatures.md). If you keep `sha256` outside the journal, you can
 * prove later that no result, annulment or decision up to `cursor` was rewritten.
 */
export interface ChainLink {
  /** 1, 2, 3… in the order in which reports were recorded. */
  readonly sequence: number;
  /** Cursor of the last event that the link covers; null: no event yet. */
  readonly cursor: string | null;
  /** Results, annulments and decisions since the link before. */
  readonly records: number;
  /** Lower-case hex; zeros in the first link. */
  readonly previousSha256: string;
  /** Lower-case hex SHA-256: the head of the chain when the report was recorded. */
  readonly sha256: string;
}

/** The result of one reconciliation: everything that a report prints. Plain JSON. */
export interface Report {
  /** ISO UTC, like every time here. */
  readonly asOf: string;
  readonly from: string;
  readonly to: string;
  readonly outcome: Outcome;
  readonly totals: ControlTotals;
  readonly breaksOpened: number;
  readonly breaksResolved: number;
  /** Every break that this run saw, and those that it could not check again; most severe first. */
  readonly breaks: readonly Break[];
  readonly byClass: Readonly<Partial<Record<BreakClass, Tally>>>;
  readonly bySeverity: Readonly<Partial<Record<Severity, Tally>>>;
  /** Number of items that could not be asked about; `notAsked` holds the first of them. */
  readonly notAskedCount: number;
  readonly notAsked: readonly NotAsked[];
  /** Null: the journal has no link of this report, which `audit verify` reports. */
  readonly chain: ChainLink | null;
}

/** A report without its breaks: its size does not depend on their number. */
export type ReportHead = Omit<Report, 'breaks'>;

/** A report before it is recorded; recording adds the link. */
export type NewReport = Omit<ReportHead, 'chain'>;

/** `after`: the last item of the page before; null: from the first. */
export interface NotAskedPage {
  readonly asOf: string;
  readonly after: Pick<NotAsked, 'originId' | 'book'> | null;
  readonly limit: number;
}
