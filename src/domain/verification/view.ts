import type { RequestError } from '../transfer/answers';
import { verificationDueMs } from './next-step';
import { openVerificationReasons } from './flags';
import type { VerificationReason } from './flags';
import type { VerificationState } from './state';
import type { VerificationOutcome } from './status-map';

/** The answer of query `state` of a verification (contract section 3). Times are ISO UTC. */
export interface VerificationView {
  readonly requestId: string;
  /** The bank's status; null: none was reported yet. */
  readonly status: string | null;
  readonly statusDate: string | null;
  readonly outcome: VerificationOutcome | null;
  readonly needsAttention: boolean;
  readonly attentionReasons: readonly VerificationReason[];
  /** Requests made, with any outcome. */
  readonly polls: number;
  readonly lastPolledAt: string | null;
  /** When the next request to the bank is due; null: none is planned. */
  readonly nextPollAt: string | null;
  readonly history: readonly { readonly status: string; readonly at: string }[];
  /** Why the last request had no readable answer; null: it had one. */
  readonly lastError: RequestError | null;
}

/** `iso` turns ms into ISO UTC: the domain has neither clock nor calendar. */
export function verificationView(state: VerificationState, iso: (ms: number) => string): VerificationView {
  const { stage, asking, last } = state;
  const reasons = openVerificationReasons(state.flags);
  return {
    requestId: state.requestId,
    status: last?.status ?? null,
    statusDate: last?.statusDate ?? null,
    outcome: stage.name === 'ended' ? stage.result.outcome : null,
    needsAttention: reasons.length > 0,
    attentionReasons: reasons,
    polls: asking.polls,
    lastPolledAt: asking.lastEndedAtMs === null ? null : iso(asking.lastEndedAtMs),
    nextPollAt: stage.name === 'tracking' ? nextPollAt(state, iso) : null,
    history: state.history.map(({ status, atMs }) => ({ status, at: iso(atMs) })),
    lastError: asking.lastError,
  };
}

function nextPollAt(state: VerificationState, iso: (ms: number) => string): string | null {
  const dueMs = verificationDueMs(state);
  return dueMs === 0 ? null : iso(dueMs);
}
