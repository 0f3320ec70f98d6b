import { PESO } from '../money';
import type { RequestError, SeenMovement } from './answers';
import { NO_DECISIONS } from './decisions/decision';
import type { Decisions } from './decisions/decision';
import type { EchoState } from './echo-state';
import type { Evidence } from './evidence';
import { NO_ECHO } from './echo-state';
import type { AttentionReason, Flags } from './flags';
import { NO_STATUS } from './movement-status';
import type { MovementStatusView } from './movement-status';
import type { TransferResult } from './result';
import type { SendingStop } from './records';
import { DEFAULT_TRANSFER_SETTINGS } from './settings';
import type { TransferSettings } from './settings';

/**
 * The complete state of a transfer: plain JSON, carried through continue-as-new. Times are milliseconds by the run's
 * clock.
 */
export interface TransferState {
  readonly originId: number;
  readonly amount: { readonly currency: string; readonly value: string };
  /** Null until the journal has the order. */
  readonly orderSha256: string | null;
  readonly settings: TransferSettings;
  /** The PostgreSQL database that received the order: system identifier and timeline. Null: not received yet. */
  readonly journalId: string | null;
  readonly openedAtMs: number;
  readonly stage: Stage;
  readonly requests: Requests;
  readonly sends: Sends;
  readonly bank: BankView;
  readonly flags: Flags;
  /** The open flags that the journal has recorded, most urgent first. */
  readonly recordedReasons: readonly AttentionReason[];
  readonly decisions: Decisions;
  /** What the journal refused last; kept after a resume, to detect that it refuses the same again. */
  readonly conflict: Conflict | null;
  /** When operators last resumed the transfer after `OPEN_TOO_LONG`: its age counts from then on. */
  readonly resumedAtMs: number | null;
  /** When a cancel arrived. The bank has no cancel, so after a send the cancel is only noted. */
  readonly cancelRequestedAtMs: number | null;
  /** The journal has a create that may have reached the bank: the cancel came too late. */
  readonly withdrawalDenied: boolean;
  /** When a hint asked for the next request as early as the last bank status allows; null: no hint. */
  readonly hintedAtMs: number | null;
  /** The bank's statuses in order, last 50. */
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
}

export type Stage =
  /** The order is not in the journal yet. */
  | { readonly name: 'receiving' }
  /** The next request is a create. */
  | { readonly name: 'sending' }
  /**
   * A create may have reached the bank: look up by originId until a movement is found, or until the order was surely
   * not taken.
   */
  | { readonly name: 'looking-up' }
  /** The bank knows the movement. */
  | { readonly name: 'polling' }
  | Ending
  | { readonly name: 'ended'; readonly result: TransferResult };

/** The end is known and must be recorded. */
export interface Ending {
  readonly name: 'ending';
  readonly result: TransferResult;
  /** The request whose answer brought the end, or the last request when operators decided. */
  readonly evidenceNumber: number;
  /** Who decided, when it was not the bank. */
  readonly operators: readonly string[];
  /** When the end became known; absent in a state that an earlier run carried on without it. */
  readonly sinceMs?: number;
}

/** The journal contradicts this run: nothing is sent or ended until a person has decided. */
export interface Conflict {
  /** For people; no personal data. */
  readonly reason: string;
  /** Equal if the same rule refuses the same step again; null: unknown, because the journal only has the reason. */
  readonly cause: string | null;
  /** The conflict returned after operators resumed the transfer: reading the journal again did not resolve it. */
  readonly isUnexplained: boolean;
}

/** The numbered requests of this transfer, creates and look-ups alike. */
export interface Requests {
  readonly lastNumber: number;
  /** When the last request ended, or will have ended at the latest; null: none was made. */
  readonly lastEndedAtMs: number | null;
  /** Another lower bound: Retry-After, or the time given to a deferred request. */
  readonly notBeforeMs: number;
  /** When the deferred request was due; null: none is deferred. */
  readonly deferredFromMs: number | null;
  /**
   * The claimed get-movements, as the journal counts them. The count includes requests that could not leave (no token,
   * bank unreachable): after a crash they cannot be distinguished from the others.
   */
  readonly polls: number;
  readonly lastPolledAtMs: number | null;
  /** Why the last request failed; null: it had a readable answer. */
  readonly lastError: RequestError | null;
  /**
   * This run does not know the answer of the last request: a repeated step found none, or the journal had none when the
   * run read it. The next look-up first reads the journal again, because the answer may be recorded by then.
   */
  readonly isUnanswered?: boolean;
}

/** Creates that may have reached the bank. Creates that surely did not are counted in `notSentRun` only. */
export interface Sends {
  readonly count: number;
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
  readonly notSentRun: number;
  /** The only send was refused; look-ups must confirm that nothing was taken. */
  readonly refusal: { readonly httpStatus: number; readonly code: string | null } | null;
  /**
   * False after a movement was seen (`bank.lastStatus`), operators decided about the outcome, or the number of sends
   * became uncertain (`isCountKnown`). From then on only operators can have the order sent again, by the terms of
   * `resend`.
   */
  readonly mayRepeat: boolean;
  /**
   * False: the journal has lost requests of this transfer, so there may be more sends than `count`, and not even
   * operators may have the order sent again.
   */
  readonly isCountKnown?: boolean;
  /**
   * The next create was tried before without an answer: no further attempt until the journal rules out that it was
   * sent.
   */
  readonly isTried?: boolean;
  /** The emergency brake holds the next create back; null: as far as the run knows, it does not. */
  readonly heldBack: HeldBackSend | null;
}

/** A create that the brake holds back, and when the next attempt is due. */
interface HeldBackSend {
  readonly stop: SendingStop;
  readonly lookAgainAtMs: number;
  /** Attempts in a row that the brake held back. */
  readonly times: number;
}

/** The bank's side of the transfer, by its readable answers. */
export interface BankView extends MovementStatusView {
  /** Whether the answers are about one movement, and about ours. */
  readonly echo: EchoState;
  /** A look-up found a movement, with any echo: not even operators may have the order sent again. */
  readonly foundByLookup: boolean;
  /** The last reported status with any echo, except a create's mismatch. This status sets the cadence. */
  readonly lastStatus: string | null;
  /** This run's last readable movement with any echo, except a create's mismatch, and its request number. */
  readonly lastAnswer: (SeenMovement & { readonly number: number; readonly atMs: number }) | null;
  /** The answers that a signed decision covers; absent: no readable answer yet. */
  readonly evidence?: Evidence;
  /** The last readable not-found of this run. */
  readonly lastNotFound: { readonly number: number; readonly atMs: number } | null;
  readonly notFoundRun: number;
  readonly unauthorizedRun: number;
}

/** Whether `number` is the last request, whose answer the run did not know: the state has counted it already. */
export const isAnsweredLate = ({ requests }: TransferState, number: number): boolean =>
  requests.isUnanswered === true && requests.lastNumber === number;

/** The state before receipt: only the originId is known, the amount comes with the order. */
export function initialState(originId: number, nowMs: number): TransferState {
  return {
    originId,
    amount: { currency: PESO, value: '0.00' },
    orderSha256: null,
    settings: DEFAULT_TRANSFER_SETTINGS,
    journalId: null,
    openedAtMs: nowMs,
    stage: { name: 'receiving' },
    requests: {
      lastNumber: 0,
      lastEndedAtMs: null,
      notBeforeMs: 0,
      deferredFromMs: null,
      polls: 0,
      lastPolledAtMs: null,
      lastError: null,
    },
    sends: {
      count: 0,
      firstAtMs: null,
      lastAtMs: null,
      notSentRun: 0,
      refusal: null,
      mayRepeat: true,
      heldBack: null,
    },
    bank: {
      ...NO_STATUS,
      echo: NO_ECHO,
      foundByLookup: false,
      lastStatus: null,
      lastAnswer: null,
      lastNotFound: null,
      notFoundRun: 0,
      unauthorizedRun: 0,
    },
    flags: {},
    recordedReasons: [],
    decisions: NO_DECISIONS,
    conflict: null,
    resumedAtMs: null,
    cancelRequestedAtMs: null,
    withdrawalDenied: false,
    hintedAtMs: null,
    history: [],
  };
}
