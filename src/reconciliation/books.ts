import type { RequestErrorCode, SeenMovement } from '../domain/transfer/answers';
import type { AttentionReason } from '../domain/transfer/flags';
import type { TransferResult } from '../domain/transfer/result';

/**
 * What each book says of one transfer, as plain JSON. The *journal* is ours, the *bank* is asked by originId, the
 * *engine* knows the workflow runs, a *statement* is a file of the bank's with one line a booking. Accounts are here
 * to be compared; no break, report or log line carries one. Every time is ISO 8601 UTC; amounts are decimal strings
 * with two decimals.
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
  /** What the bank reported of it, by the last answer whose echo was no mismatch; null: nothing yet. */
  readonly movementId: string | null;
  readonly networkId: string | null;
  /** The bank said DELAYED at least once, so that it may take as long as a delayed one. */
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

/** Why nobody asked the bank about a transfer in this run. All but `NOTHING_RECORDED` make the run PARTIAL. */
export const NOT_ASKED_REASONS = [
  /** Open, and its own run has no readable answer yet: it is being sent or looked up, or held back. No gap in this run. */
  'NOTHING_RECORDED',
  /** Open, and its own run has not asked or sent for longer than its cadence allows: hinted. A recorded answer is compared. */
  'OVERDUE',
  /** Asked about a moment ago, without a readable answer, so that the bank's cadence forbids another question now. */
  'TOO_SOON',
  /** The bank did not answer earlier questions of this run, or asking is stopped. */
  'BANK_UNREACHABLE',
  /** Creates and polls of other transfers had all of the bank's rate for longer than a step waits. */
  'NO_TURN',
] as const;
export type NotAskedReason = (typeof NOT_ASKED_REASONS)[number];

/**
 * What the bank says of a transfer; `not-recorded`: the journal refused a line about the question, and what the journal
 * does not hold is not compared. `asked`: a question of this run; `recorded`: the last readable answer of the
 * transfer's own run, which is how an open one is compared without breaking its cadence.
 */
export type BankObservation =
  | { readonly kind: 'not-asked'; readonly reason: NotAskedReason }
  | {
      readonly kind: 'not-recorded';
      /** The rule of the journal, for people; no values of the row. */
      readonly refusal: string;
    }
  | {
      readonly kind: 'movement';
      /** Already compared with the order: `echo` and `echoFields`. */
      readonly movement: SeenMovement;
      readonly source: 'asked' | 'recorded';
      readonly at: string;
      /** Recorded, and its run should have asked since: compared, and not all there is to know. */
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

/** The workflow run of a transfer. `unknown`: the engine could not be asked. */
export type RunState =
  | { readonly kind: 'open'; readonly startedAt: string }
  | { readonly kind: 'closed'; readonly how: RunEnd; readonly closedAt: string | null }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' };
export const RUN_ENDS = ['completed', 'failed', 'cancelled', 'terminated', 'timed-out'] as const;
export type RunEnd = (typeof RUN_ENDS)[number];

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
  /** `accountMark` of our own account that was debited or credited; null: the statement does not tell. */
  readonly account: string | null;
  /** The other party's account, digits; null: the statement does not tell. */
  readonly counterpartyAccount: string | null;
}

/** The lines of a statement that carry an id of this transfer. */
export interface StatementObservation {
  /** The statement is of the transfer's account, and covers the time of its booking with a margin. */
  readonly covers: boolean;
  /** First and last booking, ISO UTC, of a file of this account with every line read; null: absence says nothing. */
  readonly speaksOf: { readonly from: string; readonly to: string } | null;
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

/** One transfer in all the books: what `compare` judges. */
export interface BookedTransfer {
  readonly originId: number;
  /** Null: the journal does not know it. */
  readonly entry: JournalEntry | null;
  readonly bank: BankObservation;
  readonly run: RunState;
  /** Null: no statement was given. */
  readonly statement: StatementObservation | null;
  /** Other transfers in the journal that hold the same movement or network id, in any order. */
  readonly sameMovementId: readonly number[];
  readonly sameNetworkId: readonly number[];
}

/** What a comparison depends on beside the books. */
export interface CompareContext {
  /** The moment this reconciliation speaks of. */
  readonly asOf: string;
  /** When the books were read: later than `asOf` when a run comes late or speaks of an earlier moment. */
  readonly readAt: string;
  /** `ATTENTION_AFTER_ACTIVE` and `ATTENTION_AFTER_DELAYED`. */
  readonly attentionAfterActiveMs: number;
  readonly attentionAfterDelayedMs: number;
}

/** Two books are never written at one moment: for so long one may have what the other has not. */
const IN_FLIGHT_MS = 10 * 60_000;

/** So shortly before the books were read that the other book may not have it yet. Both ISO UTC. */
export function isInFlight(at: string, readAt: string): boolean {
  return Date.parse(readAt) - Date.parse(at) < IN_FLIGHT_MS;
}
