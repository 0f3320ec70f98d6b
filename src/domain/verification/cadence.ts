import type { VerificationState } from './state';

/** 2^20 times any gap is beyond every maximum: bounds the power. */
const DOUBLINGS_MAX = 20;

/**
 * The gap from the end of one request to the start of the next: `POLL_KYC` after news, doubled for each request that
 * brought none, `POLL_KYC_MAX` at most. A hint asks for the least gap, never for less.
 */
export function verificationGapMs({ asking, settings, hintedAtMs }: VerificationState): number {
  if (hintedAtMs !== null) return settings.pollMs;
  const doubled = settings.pollMs * 2 ** Math.min(asking.unchangedRun, DOUBLINGS_MAX);
  return Math.max(settings.pollMs, Math.min(doubled, settings.pollMaxMs));
}

/** Earliest start of the next request: at once when none was made. */
export function verificationDueMs(state: VerificationState): number {
  const { lastEndedAtMs, notBeforeMs } = state.asking;
  return lastEndedAtMs === null
    ? notBeforeMs
    : Math.max(lastEndedAtMs + verificationGapMs(state), notBeforeMs);
}
