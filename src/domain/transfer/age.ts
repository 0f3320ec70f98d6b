import { clear, raise } from './flags';
import type { TransferState } from './state';

/**
 * `OPEN_TOO_LONG`: still open after `ATTENTION_AFTER_ACTIVE` in statuses of the active cadence, after
 * `ATTENTION_AFTER_DELAYED` in DELAYED, or after both together however the bank changes its word. The transfer goes
 * on; the flag clears when a change of cadence or a resume by operators starts the count again.
 */
export function withAgeFlag(state: TransferState, nowMs: number): TransferState {
  const flags = isTooOld(state, nowMs)
    ? raise(state.flags, 'OPEN_TOO_LONG', nowMs)
    : clear(state.flags, 'OPEN_TOO_LONG');
  return flags === state.flags ? state : { ...state, flags };
}

function isTooOld({ stage, bank, settings, ...state }: TransferState, nowMs: number): boolean {
  if (stage.name === 'ended') return false;
  // The end is known, and only has to be written down.
  if (stage.name === 'settling') return nowMs - (stage.sinceMs ?? nowMs) >= settings.attentionAfterActiveMs;
  // Operators who resume it have seen its age: it counts anew.
  const openedAtMs = Math.max(state.openedAtMs, state.resumedAtMs ?? state.openedAtMs);
  const { attentionAfterActiveMs, attentionAfterDelayedMs } = settings;
  const limitMs = bank.status === 'DELAYED' ? attentionAfterDelayedMs : attentionAfterActiveMs;
  return (
    nowMs - Math.max(bank.paceSinceMs ?? openedAtMs, openedAtMs) >= limitMs ||
    nowMs - openedAtMs >= attentionAfterActiveMs + attentionAfterDelayedMs
  );
}
