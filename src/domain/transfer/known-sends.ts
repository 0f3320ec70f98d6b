import type { TransferPast } from './past';
import type { Sends } from './state';

/** What the journal tells of the creates of a transfer, by the run's clock. */
export function sendsOf(past: TransferPast, atMs: number): Sends {
  const ago = (ms: number | null) => (ms === null ? null : atMs - ms);
  const restoredMs = past.sinceRestoredMs ?? null;
  // Nothing is looked up that was not sent: a journal with look-ups alone has lost the create.
  const isWhole = restoredMs === null && (past.sends > 0 || past.polls === 0);
  const told: Sends = {
    count: past.sends,
    firstAtMs: ago(past.sinceFirstSendMs),
    lastAtMs: ago(past.sinceLastSendMs),
    notSentRun: 0,
    refusal: past.sawMovement ? null : past.refusal,
    mayRepeat: !past.sawMovement && !past.operatorsTookOver && isWhole,
    isCountKnown: isWhole,
    heldBack: null,
  };
  if (isWhole) return told;
  // A create may be lost, and be the last one: it counts as one whose outcome is unknown, sent as late as can be.
  return {
    ...told,
    count: Math.max(1, past.sends),
    firstAtMs: told.firstAtMs ?? atMs - past.sinceOpenedMs,
    lastAtMs: Math.max(told.lastAtMs ?? 0, atMs - (restoredMs ?? 0)),
  };
}

/** One create more may have reached the bank, just now; the order is not sent again. */
export const withSendInDoubt = (sends: Sends, atMs: number): Sends => ({
  ...sends,
  count: sends.count + 1,
  firstAtMs: sends.firstAtMs ?? atMs,
  lastAtMs: atMs,
  refusal: null,
  mayRepeat: false,
  isCountKnown: false,
});
