import type { CreateAnswer, LookupAnswer } from './answers';
import type { DecisionRecord } from './decisions/decision';
import type { AttentionReason } from './flags';
import type { TransferFacts } from './facts';
import type { TransferResult } from './result';
import type { SendingStop } from './records';
import type { TransferSettings } from './settings';
import type { Sends } from './state';

/** The events of a transfer. `atMs`: by the run's clock. */
export type TransferEvent =
  | ReceivedEvent
  | { readonly kind: 'already-ended'; readonly atMs: number; readonly result: TransferResult }
  | CreateEnded
  | LookupEnded
  | HeldBack
  /** The limiter defers the due request: nothing was claimed and nothing sent. */
  | {
      readonly kind: 'request-deferred';
      readonly atMs: number;
      readonly afterMs: number;
      /** For a create: the step was tried more than once. */
      readonly isRetry?: boolean;
    }
  | { readonly kind: 'withdrawal-granted'; readonly atMs: number; readonly number: number }
  /** The journal has a create that may have reached the bank. */
  | { readonly kind: 'withdrawal-too-late'; readonly atMs: number }
  | RepeatDenied
  /** The journal's last number is not the one that this run knows: a reset run, or a restored journal. */
  | {
      readonly kind: 'journal-out-of-order';
      readonly atMs: number;
      readonly lastNumber: number;
    }
  /** An earlier attempt of this same create may have reached the bank, and the journal has lost its claim. */
  | { readonly kind: 'create-in-doubt'; readonly atMs: number }
  | JournalRefused
  /**
   * All attempts of a step have failed, and the next run repeats the step: only time has passed. `endDoubtMs`: by how
   * much the last request may have ended later than reported; absent: 0.
   */
  | { readonly kind: 'step-gave-up'; readonly atMs: number; readonly endDoubtMs?: number }
  /** `conflict`: the journal already held another result, which stays. */
  | {
      readonly kind: 'result-recorded';
      readonly atMs: number;
      readonly result: TransferResult;
      readonly conflict: boolean;
    }
  | { readonly kind: 'flags-recorded'; readonly atMs: number; readonly reasons: readonly AttentionReason[] }
  /** An operator's decision that this state allows. */
  | { readonly kind: 'decided'; readonly atMs: number; readonly record: DecisionRecord }
  | { readonly kind: 'decision-recorded'; readonly atMs: number; readonly id: string }
  /**
   * The journal already holds an end, or lacks the proposal that this decision accepts, or the signature is not valid.
   */
  | {
      readonly kind: 'decision-not-recorded';
      readonly atMs: number;
      /** What is wrong with the signature, for the sender. */
      readonly why?: string;
      /** The journal's rule, for the sender. */
      readonly rule?: string;
    }
  /** A worker has reported its current settings. */
  | { readonly kind: 'settings-received'; readonly atMs: number; readonly settings: TransferSettings }
  /** A wait has ended: a message came, which is a separate event, or the transfer has become too old. */
  | { readonly kind: 'time-passed'; readonly atMs: number }
  | { readonly kind: 'hinted'; readonly atMs: number }
  | { readonly kind: 'cancel-requested'; readonly atMs: number };

export interface ReceivedEvent {
  readonly kind: 'received';
  readonly atMs: number;
  readonly orderSha256: string;
  readonly amountValue: string;
  readonly settings: TransferSettings;
  /**
   * Includes the run's decisions that are not recorded yet. Null: a new transfer, of which the journal holds nothing
   * else.
   */
  readonly facts: TransferFacts | null;
  /** Identifies the PostgreSQL database: system identifier and timeline. */
  readonly journalId: string;
}

/** A guard or a constraint of the journal refused a step's write; nothing was written. */
export interface JournalRefused {
  readonly kind: 'journal-refused';
  readonly atMs: number;
  readonly step:
    'receive' | 'create' | 'lookup' | 'withdraw' | 'record-flags' | 'record-decision' | 'record-result';
  /** The rule that the write broke, for people. */
  readonly reason: string;
  /** SQLSTATE. */
  readonly code: string;
  /** Number of a request that was made, and whose answer was refused; null: none was made. */
  readonly madeNumber: number | null;
}

/** The journal refuses to have the order sent again: nothing was sent. */
export interface RepeatDenied {
  readonly kind: 'repeat-denied';
  readonly atMs: number;
  /**
   * By the journal, the bank refused the only create that may have reached it. The run does not know, because a worker
   * that was cut off recorded the answer after the next look-up had begun. Absent: the journal holds no such answer.
   */
  readonly refusal?: NonNullable<Sends['refusal']>;
}

/** The emergency brake held a create back: its number was not claimed, nothing was sent. */
export interface HeldBack {
  readonly kind: 'held-back';
  readonly atMs: number;
  /** When the step of the create began. */
  readonly startedAtMs: number;
  readonly stop: SendingStop;
  /** The step was tried more than once. */
  readonly isRetry?: boolean;
}

interface RequestEnded {
  /** When the request ended; its gap runs from here. */
  readonly atMs: number;
  /** When the step of the request began. */
  readonly startedAtMs: number;
  readonly number: number;
  readonly settings: TransferSettings;
  /** For a repeated step: how much longer the original request may be in flight. */
  readonly inFlightMs: number;
  /**
   * The attempt that made the request has failed or timed out: for the gap, the request ended at `atMs` (contract 4.3),
   * not at its time-out.
   */
  readonly isLost?: true;
}

export interface CreateEnded extends RequestEnded {
  readonly kind: 'create-ended';
  /** How long before `atMs` the number was claimed: the step may have waited long for a worker or the journal. */
  readonly claimAgeMs: number;
  readonly answer: CreateAnswer;
}

export interface LookupEnded extends RequestEnded {
  readonly kind: 'lookup-ended';
  readonly answer: LookupAnswer;
}
