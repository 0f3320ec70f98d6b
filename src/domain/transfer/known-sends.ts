import type { TransferPast } from './past';
import type { Sends } from './state';

/** What the journal tells of the creates of a transfer, in workflow time. */
export function sendsOf(past: TransferPast, atMs: number): Sends {
  const ago = (ms: number | null) => (ms === null ? null : atMs - ms);
  const restoredMs = past.sinceRestoredMs ?? null;
  const told = {
    count: past.sends,
    firstAtMs: ago(past.sinceFirstSendMs),
    lastAtMs: ago(past.sinceLastSendMs),
    notSentRun: 0,
    refusal: past.sawMovement ? null : past.refusal,
    mayRepeat: !past.sawMovement && !past.operatorsTookOver && restoredMs === null,
    heldBack: null,
  };
  if (restoredMs === null || past.sends > 0) return told;
  // The backup may be older than a create: it counts as one whose outcome is unknown, so the bank is only asked.
  return { ...told, count: 1, firstAtMs: atMs - past.sinceOpenedMs, lastAtMs: atMs - restoredMs };
}
