import type { CreateAnswer, LookupAnswer } from './answers';
import type { DecisionRecord } from './decisions/decision';
import type { AttentionReason } from './flags';
import type { TransferPast } from './past';
import type { TransferResult } from './result';
import type { SendingStop } from './sending-stop';
import type { TransferSettings } from './settings';

/** What can happen to a transfer. `atMs`: by the run's clock. */
export type TransferEvent =
  | ReceivedEvent
  | { readonly kind: 'already-ended'; readonly atMs: number; readonly result: TransferResult }
  | CreateEnded
  | LookupEnded
  | HeldBack
  /** The request that was due has to wait before the bank: nothing was claimed and nothing sent. */
  | { readonly kind: 'request-deferred'; readonly atMs: number; readonly afterMs: number }
  | { readonly kind: 'withdrawal-granted'; readonly atMs: number; readonly number: number }
  /** The journal has a create that may have reached the bank. */
  | { readonly kind: 'withdrawal-too-late'; readonly atMs: number }
  /** The journal's clock says that the time for repeats is over: nothing was sent. */
  | { readonly kind: 'repeat-denied'; readonly atMs: number }
  /** The journal's numbers are not the ones this run knew: a reset run, or a restored journal. */
  | {
      readonly kind: 'journal-out-of-order';
      readonly atMs: number;
      readonly lastNumber: number;
      /** An earlier try of this very create may have reached the bank: the journal has lost its claim. */
      readonly perhapsSent?: true;
    }
  /** `conflict`: the journal already held another result, which stays. */
  | {
      readonly kind: 'result-recorded';
      readonly atMs: number;
      readonly result: TransferResult;
      readonly conflict: boolean;
    }
  | { readonly kind: 'flags-recorded'; readonly atMs: number; readonly reasons: readonly AttentionReason[] }
  /** An operator's decision that was judged good in this very state. */
  | { readonly kind: 'decided'; readonly atMs: number; readonly record: DecisionRecord }
  | { readonly kind: 'decision-recorded'; readonly atMs: number; readonly id: string }
  /** The journal holds an end already, or lacks the proposal that this decision rests on. */
  | { readonly kind: 'decision-not-recorded'; readonly atMs: number }
  | { readonly kind: 'hinted'; readonly atMs: number }
  | { readonly kind: 'cancel-requested'; readonly atMs: number };

export interface ReceivedEvent {
  readonly kind: 'received';
  readonly atMs: number;
  readonly orderSha256: string;
  readonly amountValue: string;
  readonly settings: TransferSettings;
  readonly past: TransferPast;
}

/** The emergency brake held a create back: its number was not claimed, nothing was sent. */
export interface HeldBack {
  readonly kind: 'held-back';
  readonly atMs: number;
  /** When the step that asked for the claim began. */
  readonly startedAtMs: number;
  readonly stop: SendingStop;
}

interface RequestEnded {
  /** When the request ended; its gap runs from here. */
  readonly atMs: number;
  /** When the step that made it began. */
  readonly startedAtMs: number;
  readonly number: number;
  readonly settings: TransferSettings;
  /** A step that was repeated: the request it stands for may be under way for that long still. */
  readonly inFlightMs: number;
}

export interface CreateEnded extends RequestEnded {
  readonly kind: 'create-ended';
  /** How long before `atMs` its number was claimed: the step may have waited long for a worker or the journal. */
  readonly claimAgeMs: number;
  readonly answer: CreateAnswer;
}

export interface LookupEnded extends RequestEnded {
  readonly kind: 'lookup-ended';
  readonly answer: LookupAnswer;
}
