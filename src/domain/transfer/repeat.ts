import type { DecisionRecord } from './decisions/decision';
import { isHeld } from './flags';
import type { TransferState } from './state';

/** Most creates of one originId that may reach the bank (contract 4.2). */
export const SENDS_MAX = 3;

/**
 * Whether the same bytes may go out once more: at most three sends, the later two soon after the first, and only while
 * nothing was ever found. The journal checks the time again, by its clock, when the send is claimed.
 */
export function mayRepeatSend(state: TransferState, nowMs: number): boolean {
  const { sends, stage, flags } = state;
  return (
    stage.name === 'looking-up' &&
    !isHeld(flags) &&
    sends.mayRepeat &&
    sends.count > 0 &&
    sends.count < SENDS_MAX &&
    !isRepeatOver(state, nowMs)
  );
}

/**
 * Whether operators have decided about the outcome, so that Giro alone does not send the order again. `wasSent`: a
 * create may have reached the bank before they decided.
 */
export const takesRepeatAway = (
  { outcome, action, flags }: Pick<DecisionRecord, 'outcome' | 'action' | 'flags'>,
  wasSent: boolean,
): boolean =>
  (outcome === 'accepted' && action === 'resend') ||
  (outcome === 'resumed' &&
    (flags.includes('OUTCOME_UNKNOWN') ||
      flags.includes('VANISHED') ||
      (wasSent && (flags.includes('JOURNAL_CONFLICT') || flags.includes('ORDER_TAMPERED')))));

/**
 * A repeat was due but could not leave in time (connection refused, journal unreachable): it must not leave any more.
 */
export function isRepeatOver({ sends, settings }: TransferState, nowMs: number): boolean {
  return sends.firstAtMs !== null && nowMs - sends.firstAtMs > settings.resendWindowMs;
}
