import { PESO } from '../money';
import type { RequestError, SeenMovement } from './answers';
import { NO_DECISIONS } from './decisions/decision';
import type { Decisions } from './decisions/decision';
import type { EchoStanding } from './echo-standing';
import type { Evidence } from './evidence';
import { NOTHING_STANDS } from './echo-standing';
import type { AttentionReason, Flags } from './flags';
import { NO_STATUS } from './movement-status';
import type { MovementStatusView } from './movement-status';
import type { TransferResult } from './result';
import type { SendingStop } from './records';
import { DEFAULT_TRANSFER_SETTINGS } from './settings';
import type { TransferSettings } from './settings';

/**
 * Everything the decisions of a transfer depend on: plain JSON, carried whole through continue-as-new. Times are
 * milliseconds by the run's clock.
 */
export interface TransferState {
  readonly originId: number;
  readonly amount: { readonly currency: string; readonly value: string };
  /** Null until the journal has the order. */
  readonly orderSha256: string | null;
  readonly settings: TransferSettings;
  /** Which PostgreSQL had the order at its receipt: system identifier and timeline. Null: not received yet. */
  readonly journalId: string | null;
  readonly openedAtMs: number;
  readonly stage: Stage;
  readonly requests: Requests;
  readonly sends: Sends;
  readonly bank: BankView;
  readonly flags: Flags;
  /** The open flags that the journal was told of, most urgent first. */
  readonly recordedReasons: readonly AttentionReason[];
  readonly decisions: Decisions;
  /** What the journal refused last; kept after a resume, to tell whether it refuses the same again. */
  readonly conflict: Conflict | null;
  /** When operators last resumed it: its age counts anew from there. */
  readonly resumedAtMs: number | null;
  /** Set when a cancel came; the bank has none, so after a send it is only noted. */
  readonly cancelRequestedAtMs: number | null;
  /** The journal has a create that may have reached the bank: the cancel came too late. */
  readonly withdrawalDenied: boolean;
  /** A notification asks for the next request as early as the last bank status allows. */
  readonly hintedAtMs: number | null;
  /** The bank's words in order, last 50. */
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
}

export type Stage =
  /** The order is not in the journal yet. */
  | { readonly name: 'receiving' }
  /** The next request is a create. */
  | { readonly name: 'sending' }
  /** A create may have reached the bank: look up by originId until it is found, or surely was not taken. */
  | { readonly name: 'looking-up' }
  /** The bank knows the movement. */
  | { readonly name: 'polling' }
  | Settling
  | { readonly name: 'ended'; readonly result: TransferResult };

/** The end is known and has to be written down. */
export interface Settling {
  readonly name: 'settling';
  readonly result: TransferResult;
  /** The request whose answer brought it, or was the last when operators decided. */
  readonly evidenceNumber: number;
  /** Who decided, when it was not the bank. */
  readonly operators: readonly string[];
  /** When it became known; absent in a state that an earlier run handed on without it. */
  readonly sinceMs?: number;
}

/** A journal that does not agree with this run: nothing is sent or ended until a person has looked. */
export interface Conflict {
  /** For people; no personal data. */
  readonly reason: string;
  /** Equal for the same step refused by the same rule; null: not known, the journal only has the reason. */
  readonly cause: string | null;
  /** Operators have resumed it and it came again: reading the journal anew does not explain it. */
  readonly isUnexplained: boolean;
}

/** The numbered requests of this transfer, creates and look-ups alike. */
export interface Requests {
  readonly lastNumber: number;
  /** When the last one ended, or will have ended at the latest; null: none was made. */
  readonly lastEndedAtMs: number | null;
  /** A lower bound beside the cadence: Retry-After, or the moment given to a deferred request. */
  readonly notBeforeMs: number;
  /** When the request was due that waits before the bank; null: none does. */
  readonly deferredFromMs: number | null;
  /**
   * Get-movements by their numbers, as the journal counts them. One that could not leave (no token, bank not reached)
   * is among them: after a crash nobody could tell it from one that did.
   */
  readonly polls: number;
  readonly lastPolledAtMs: number | null;
  /** What the last request failed with; null: it brought a readable answer. */
  readonly lastError: RequestError | null;
}

/** Creates that may have reached the bank; one that surely did not is counted in `notSentRun` only. */
export interface Sends {
  readonly count: number;
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
  readonly notSentRun: number;
  /** The only send was refused; look-ups have to confirm that nothing was taken. */
  readonly refusal: { readonly httpStatus: number; readonly code: string | null } | null;
  /**
   * False once a movement was seen or operators have taken over: the order is then never sent again by itself.
   */
  readonly mayRepeat: boolean;
  /** False: the journal has lost requests of it, so there may be more, and not even operators have it sent again. */
  readonly isCountKnown?: boolean;
  /** Steps for the next create were tried more than once without an answer: the journal is asked before another. */
  readonly isTried?: boolean;
  /** The next create waits for the emergency brake; null: it does not, as far as is known. */
  readonly heldBack: HeldBackSend | null;
}

/** A create that the brake holds back, and when it is tried again. */
interface HeldBackSend {
  readonly stop: SendingStop;
  readonly lookAgainAtMs: number;
  /** Tries that the brake held back, running. */
  readonly times: number;
}

/** What the bank's readable answers have reported. */
export interface BankView extends MovementStatusView {
  /** Whether they speak of one movement, and of ours. */
  readonly echo: EchoStanding;
  /** A look-up found a movement, whatever its echo: not even operators may have the order sent again. */
  readonly foundByLookup: boolean;
  /** The last reported status, whatever its echo: it sets the cadence. */
  readonly lastWord: string | null;
  /** The last readable movement, whatever its echo, with its request number. */
  readonly lastAnswer: (SeenMovement & { readonly number: number; readonly atMs: number }) | null;
  /** What decisions that are signed rest on; absent: no readable answer yet. */
  readonly evidence?: Evidence;
  /** The last readable not-found of this run. */
  readonly lastNotFound: { readonly number: number; readonly atMs: number } | null;
  readonly notFoundRun: number;
  readonly unauthorizedRun: number;
}

/** A transfer of which only the originId is known: the amount comes with the order's receipt. */
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
      echo: NOTHING_STANDS,
      foundByLookup: false,
      lastWord: null,
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
