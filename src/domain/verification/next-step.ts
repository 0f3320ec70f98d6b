import { verificationDueMs } from './cadence';
import { openVerificationReasons } from './flags';
import type { VerificationReason } from './flags';
import type { VerificationResult } from './result';
import type { VerificationState } from './state';

/** What a verification does next. */
export type VerificationStep =
  | { readonly do: 'receive' }
  | { readonly do: 'wait'; readonly untilMs: number }
  | { readonly do: 'ask' }
  | { readonly do: 'record-flags'; readonly reasons: readonly VerificationReason[] }
  | { readonly do: 'end'; readonly result: VerificationResult };

export function nextVerificationStep(state: VerificationState, nowMs: number): VerificationStep {
  if (state.stage.name === 'receiving') return { do: 'receive' };
  // A flag, and its clearing, reaches the journal, where operators list it, before anything else happens.
  const reasons = openVerificationReasons(state.flags);
  if (reasons.join() !== state.recordedReasons.join()) return { do: 'record-flags', reasons };
  if (state.stage.name === 'ended') return { do: 'end', result: state.stage.result };
  const untilMs = verificationDueMs(state);
  return nowMs < untilMs ? { do: 'wait', untilMs } : { do: 'ask' };
}
