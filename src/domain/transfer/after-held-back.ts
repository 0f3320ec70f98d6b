import type { HeldBack } from './events';
import { raise } from './flags';
import { hintAfter } from './cadence';
import type { SendingStop } from './records';
import type { TransferState } from './state';

/**
 * The pause before the next attempt doubles from the first to the longest, so that a stop of hours does not fill
 * histories. `sending go` hints waiting transfers.
 */
const PAUSE_FIRST_MS = 15_000;
const PAUSE_MAX_MS = 300_000;

/**
 * The emergency brake is on: the create was neither claimed nor sent, and its number is still free. A transfer that was
 * never sent keeps its stage, so that a cancel can withdraw it; a transfer that was sent before continues by look-up.
 */
export function afterHeldBack(
  before: TransferState,
  { atMs, startedAtMs, stop, isRetry }: HeldBack,
): TransferState {
  const state = {
    ...before,
    hintedAtMs: hintAfter(before.hintedAtMs, startedAtMs),
    sends: isRetry === true ? { ...before.sends, isTried: true } : before.sends,
  };
  if (state.sends.count > 0) return repeatHeldBack(state, { atMs, stop });
  const times = (state.sends.heldBack?.times ?? 0) + 1;
  const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** Math.min(times - 1, 16), PAUSE_MAX_MS);
  return { ...state, sends: { ...state.sends, heldBack: { stop, lookAgainAtMs: atMs + pauseMs, times } } };
}

/** A repeat is due again after twelve more not-founds. A `resend` by operators needs another decision. */
function repeatHeldBack(
  state: TransferState,
  { atMs, stop }: { readonly atMs: number; readonly stop: SendingStop },
): TransferState {
  const { sends, bank, flags } = state;
  return {
    ...state,
    stage: { name: 'looking-up' },
    sends: { ...sends, heldBack: sends.mayRepeat ? { stop, lookAgainAtMs: atMs, times: 1 } : null },
    bank: { ...bank, notFoundRun: 0 },
    flags: sends.mayRepeat ? flags : raise(flags, 'OUTCOME_UNKNOWN', atMs),
  };
}
