import { openVerificationReasons } from './flags';
import type { VerificationReason } from './flags';
import type { VerificationResult, VerificationState } from './state';

/** Bounds the exponent: 2^20 times any gap is beyond every maximum. */
const DOUBLINGS_MAX = 20;

/**
 * The gap from the end of one request to the start of the next: `POLL_KYC` after news, doubled for each request without
 * news, `POLL_KYC_MAX` at most. A hint shortens the gap to `POLL_KYC`, never below.
 */
function verificationGapMs({ asking, settings, hintedAtMs }: VerificationState): number {
  if (hintedAtMs !== null) return settings.pollMs;
  const doubled = settings.pollMs * 2 ** Math.min(asking.unchangedRun, DOUBLINGS_MAX);
  return Math.max(settings.pollMs, Math.min(doubled, settings.pollMaxMs));
}

/** Earliest start of the next request: at once if none was made. */
export function verificationDueMs(state: VerificationState): number {
  const { lastEndedAtMs, notBeforeMs } = state.asking;
  return lastEndedAtMs === null
    ? notBeforeMs
    : Math.max(lastEndedAtMs + verificationGapMs(state), notBeforeMs);
}

/** The next step of a verification. */
export type VerificationStep =
  | { readonly do: 'receive' }
  | { readonly do: 'wait'; readonly untilMs: number }
  | { readonly do: 'ask' }
  | { readonly do: 'record-flags'; readonly reasons: readonly VerificationReason[] }
  | { readonly do: 'end'; readonly result: VerificationResult };

export function nextVerificationStep(state: VerificationState, nowMs: number): VerificationStep {
  if (state.stage.name === 'receiving') return { do: 'receive' };
  // A raised or cleared flag is recorded before any other step, because operators list flags from the journal.
  const reasons = openVerificationReasons(state.flags);
  if (reasons.join() !== state.recordedReasons.join()) return { do: 'record-flags', reasons };
  if (state.stage.name === 'ended') return { do: 'end', result: state.stage.result };
  const untilMs = verificationDueMs(state);
  return nowMs < untilMs ? { do: 'wait', untilMs } : { do: 'ask' };
}
