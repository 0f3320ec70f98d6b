import type { RequestErrorCode, SeenMovement } from '../domain/transfer/answers';
import type { AttentionReason } from '../domain/transfer/flags';
import type { TransferResult } from '../domain/transfer/result';

/**
 * The contents of each book for one transfer, as plain JSON. The *journal* is ours, the *bank* is asked by originId,
 * the *engine* (Temporal) has the workflow runs, a *statement* is a file of the bank with one line for each booking.
 * Accounts are only compared; no break, report or log line contains one. Every time is ISO 8601 UTC; amounts are
 * decimal strings with two decimals.
 */
export const BOOKS = ['journal', 'bank', 'engine', 'statement', 'notifications'] as const;
export type Book = (typeof BOOKS)[number];

export interface Money {
  readonly currency: string;
  /** Two decimals, e.g. `"1500.25"`. */
  readonly value: string;
}

/** A transfer as the journal holds it. */
export interface JournalEntry {
  readonly originId: number;
  readonly openedAt: string;
  readonly amount: Money;
  /** CBU or CVU, 22 digits. */
  readonly from: string;
  readonly to: string;
  /** Null while open. */
  readonly result: TransferResult | null;
  /** When the result was recorded. */
  readonly finalAt: string | null;
  /**
   * The bank's ids from answers without an echo mismatch. An answer without an id keeps the known id; null: no id yet.
   */
  readonly movementId: string | null;
  readonly networkId: string | null;
  /** Movement ids in answers to our requests, with any echo, since operators last discarded ids; four at most. */
  readonly movementIds: readonly string[];
  /** The bank reported DELAYED at least once, so the longer limit applies. */
  readonly wasDelayed: boolean;
  readonly annulment: AnnulmentEntry | null;
  /** Open flags with the time each was raised. */
  readonly flags: readonly { readonly reason: AttentionReason; readonly since: string }[];
  /** Creates that may have reached the bank. */
  readonly sends: number;
}

export interface AnnulmentEntry {
  readonly id: string;
  readonly movementId: string | null;
  readonly amount: Money;
  readonly bankStatus: string | null;
  readonly decidedBy: 'bank' | 'operators';
  readonly recordedAt: string;
}

/** Why this run did not ask the bank about a transfer. All but `NOTHING_RECORDED` make the run PARTIAL. */
export const NOT_ASKED_REASONS = [
  /**
   * No inquiry is due: the workflow run has no readable answer yet, no create can have left, or the order is unreadable
   * (listed as `ORDER_UNREADABLE`). For an originId without an entry: a workflow run is open, or Temporal cannot be
   * asked. Does not make this run PARTIAL.
   */
  'NOTHING_RECORDED',
  /**
   * Open, and its workflow run has not asked or sent for longer than its cadence allows. This reconciliation hints the
   * workflow run. A recorded answer is compared.
   */
  'OVERDUE',
  /** The bank was asked just now, without a readable answer: the cadence does not allow another inquiry yet. */
  'TOO_SOON',
  /** The bank did not answer this run's earlier inquiries, so the run stopped asking. */
  'BANK_UNREACHABLE',
  /** Creates and polls of other transfers used up the rate for longer than a step waits. */
  'NO_TURN',
] as const;
export type NotAskedReason = (typeof NOT_ASKED_REASONS)[number];

/**
 * The bank's side of a transfer. `not-recorded`: the journal refused to record the inquiry or its answer; unrecorded
 * answers are not compared. `asked`: an inquiry of this run. `recorded`: the last readable answer in the journal, to a
 * request of the transfer or to an earlier inquiry; this run asked nothing.
 */
export type BankObservation =
  | { readonly kind: 'not-asked'; readonly reason: NotAskedReason }
  | {
      readonly kind: 'not-recorded';
      /** The journal's rule, for people; no values of the row. */
      readonly refusal: string;
    }
  | {
      readonly kind: 'movement';
      /** `echo` and `echoFields` have already been compared with the order. */
      readonly movement: SeenMovement;
      readonly source: 'asked' | 'recorded';
      readonly at: string;
      /** The run should have asked since then: compared, but possibly out of date. */
      readonly overdue?: boolean;
    }
  | {
      readonly kind: 'not-found';
      readonly source: 'asked' | 'recorded';
      readonly at: string;
      readonly overdue?: boolean;
    }
  | {
      readonly kind: 'no-answer';
      readonly code: RequestErrorCode;
      readonly httpStatus: number | null;
      readonly at: string;
    };

/** The workflow run of a transfer. `unknown`: Temporal could not be asked. */
export type RunState =
  | { readonly kind: 'open'; readonly startedAt: string }
  | { readonly kind: 'closed'; readonly how: RunEnd; readonly closedAt: string | null }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' };
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out';

/** One booking of a statement, already read and normalised. */
export interface StatementLine {
  /** Line of the file on which the record begins, from 1. */
  readonly line: number;
  readonly originId: number | null;
  readonly movementId: string | null;
  readonly networkId: string | null;
  readonly direction: 'debit' | 'credit';
  /** Never negative: `direction` says where the money went. */
  readonly amount: Money;
  /** When it was booked. */
  readonly bookedAt: string;
  /** `accountMark` of our own account that was debited or credited; null: not on the statement. */
  readonly account: string | null;
  /** The other party's account, digits; null: not on the statement. */
  readonly counterpartyAccount: string | null;
}

/** The lines of a statement that carry an id of this transfer. */
export interface StatementObservation {
  /** The statement is of the transfer's account, and covers the time of its booking with a margin. */
  readonly covers: boolean;
  /**
   * First and last booking, ISO UTC, of a file of this account with only readable lines; null: absence proves nothing.
   */
  readonly completePeriod: { readonly from: string; readonly to: string } | null;
  /** SHA-256 of the file: the evidence. */
  readonly sha256: string;
  readonly lines: readonly StatementLine[];
}

/** A notification of a debit whose ids belong to no transfer in the journal. */
export interface OrphanNotification {
  readonly deliveryKey: string;
  readonly movementType: string | null;
  readonly originIds: readonly number[];
  readonly movementIds: readonly string[];
  readonly networkIds: readonly string[];
  readonly receivedAt: string;
}

/** One transfer in all the books: the input of `compare`. */
export interface BookedTransfer {
  readonly originId: number;
  /** Null: unknown to the journal. */
  readonly entry: JournalEntry | null;
  readonly bank: BankObservation;
  readonly run: RunState;
  /** Null: no statement was given. */
  readonly statement: StatementObservation | null;
  /** Other transfers in the journal that hold the same movement or network id, in any order. */
  readonly sameMovementId: readonly number[];
  readonly sameNetworkId: readonly number[];
}

/** What a comparison depends on besides the books. */
export interface CompareContext {
  /** The time whose books this reconciliation compares. */
  readonly asOf: string;
  /** When the books were read: later than `asOf` if a run is late, or if `asOf` is in the past. */
  readonly readAt: string;
  /** `ATTENTION_AFTER_ACTIVE` and `ATTENTION_AFTER_DELAYED`. */
  readonly attentionAfterActiveMs: number;
  readonly attentionAfterDelayedMs: number;
}

/** Two books are never written at the same time: for this long, one may have an entry that the other lacks. */
const IN_FLIGHT_MS = 10 * 60_000;

/**
 * Whether an entry was recorded so shortly before the books were read that the other book may not have it yet. Both
 * times ISO UTC.
 */
export function isInFlight(at: string, readAt: string): boolean {
  return Date.parse(readAt) - Date.parse(at) < IN_FLIGHT_MS;
}
