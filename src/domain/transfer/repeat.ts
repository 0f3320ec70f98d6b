import type { DecisionRecord } from './decisions/decision';
import { isHeld } from './flags';
import type { TransferState } from './state';

/** Not-founds in a row before the order may be repeated or count as refused (contract 4.2). */
export const NOT_FOUND_CONFIRMATIONS = 12;

/** Maximum number of creates of one originId that may reach the bank (contract 4.2). */
export const SENDS_MAX = 3;

/**
 * Whether the same bytes may be sent once more. There are at most three sends, the later two within `RESEND_WINDOW` of
 * the first. No automatic repeat follows after a movement was found, or after operators have decided about the outcome
 * (`mayRepeat`). The journal checks the window again, by its clock, at the claim.
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
 * Whether the decision takes away the automatic repeat: operators have decided about the outcome, so Giro does not send
 * the order again by itself. `wasSent`: a create may have reached the bank before they decided.
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
 * Whether `RESEND_WINDOW` is over. A repeat that was due but could not leave in time (connection refused, journal
 * unreachable) must no longer leave.
 */
export function isRepeatOver({ sends, settings }: TransferState, nowMs: number): boolean {
  return sends.firstAtMs !== null && nowMs - sends.firstAtMs > settings.resendWindowMs;
}
