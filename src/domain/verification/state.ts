import type { RequestError } from '../transfer/answers';
import type { VerificationFlags, VerificationReason } from './flags';
import type { Meaning, VerificationOutcome } from './status-map';

/**
 * Cadence of verifications as recorded data. Every answer that enters a workflow carries it: a changed setting takes
 * effect with the next recorded answer, and cannot break a replay. All durations in ms.
 */
export interface VerificationSettings {
  /** `POLL_KYC`: gap after news, and the least gap for any reason that wakes the run. */
  readonly pollMs: number;
  /** `POLL_KYC_MAX`: the gap doubles up to this while nothing changes. */
  readonly pollMaxMs: number;
  /** `ATTENTION_AFTER_KYC`: flagged when the status is older than this. */
  readonly attentionAfterMs: number;
}

export const DEFAULT_VERIFICATION_SETTINGS: VerificationSettings = {
  pollMs: 60_000,
  pollMaxMs: 900_000,
  attentionAfterMs: 604_800_000,
};

/** The result of workflow `identityVerification` (contract section 3). */
export interface VerificationResult {
  readonly requestId: string;
  readonly outcome: VerificationOutcome;
  /** The bank's status. */
  readonly status: string;
  /** ISO UTC; null: the answer had no readable date. */
  readonly statusDate: string | null;
}

/**
 * The complete state of a verification: plain JSON without personal data, carried through continue-as-new. Times are
 * milliseconds by the run's clock.
 */
export interface VerificationState {
  readonly requestId: string;
  readonly settings: VerificationSettings;
  readonly stage: VerificationStage;
  readonly openedAtMs: number;
  readonly asking: Asking;
  /** The last reported status; null: none yet. */
  readonly last: LastStatus | null;
  readonly flags: VerificationFlags;
  /** The open flags that the journal has recorded, most urgent first. */
  readonly recordedReasons: readonly VerificationReason[];
  /** When a notification asked for the next request after the least gap; null: no such notification. */
  readonly hintedAtMs: number | null;
  /** The bank's statuses in order, last 50. */
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
}

export type VerificationStage =
  /** The journal has not recorded the request yet. */
  | { readonly name: 'receiving' }
  | { readonly name: 'tracking' }
  | { readonly name: 'ended'; readonly result: VerificationResult };

export interface Asking {
  readonly polls: number;
  readonly lastEndedAtMs: number | null;
  /** Another lower bound: Retry-After, a deferral, or the gap after a lost run's last request. */
  readonly notBeforeMs: number;
  /** The next request was deferred to `notBeforeMs`. */
  readonly isDeferred: boolean;
  /** Requests in a row without news: each doubles the gap. */
  readonly unchangedRun: number;
  readonly notFoundRun: number;
  readonly unauthorizedRun: number;
  /** Requests in a row without a readable answer. */
  readonly noAnswerRun: number;
  /** A look-up was lost with its step, and no status was read since then: the journal may know more than the run. */
  readonly isUnsure: boolean;
  /** Why the last request failed; null: it had a readable answer. */
  readonly lastError: RequestError | null;
}

export interface LastStatus {
  readonly status: string;
  readonly meaning: Meaning | null;
  readonly statusDate: string | null;
  /** When the bank began to report this status without interruption. */
  readonly sinceMs: number;
}

export function initialVerification(requestId: string, nowMs: number): VerificationState {
  return {
    requestId,
    settings: DEFAULT_VERIFICATION_SETTINGS,
    stage: { name: 'receiving' },
    openedAtMs: nowMs,
    asking: {
      polls: 0,
      lastEndedAtMs: null,
      notBeforeMs: 0,
      isDeferred: false,
      unchangedRun: 0,
      notFoundRun: 0,
      unauthorizedRun: 0,
      noAnswerRun: 0,
      isUnsure: false,
      lastError: null,
    },
    last: null,
    flags: {},
    recordedReasons: [],
    hintedAtMs: null,
    history: [],
  };
}
