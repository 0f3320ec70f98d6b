import type { RequestError } from './answers';
import { UNAUTHORIZED_CONFIRMATIONS } from './cadence';
import { clear, raise } from './flags';
import type { TransferState } from './state';

/** Twelve answers 401 or 403 running: the bank's door is shut for us, and a person has to look. */
export function withUnauthorizedRun(state: TransferState, error: RequestError, nowMs: number): TransferState {
  if (error.code !== 'UNAUTHORIZED') return state;
  const unauthorizedRun = state.bank.unauthorizedRun + 1;
  return {
    ...state,
    bank: { ...state.bank, unauthorizedRun },
    flags:
      unauthorizedRun >= UNAUTHORIZED_CONFIRMATIONS
        ? raise(state.flags, 'BANK_UNAUTHORIZED', nowMs)
        : state.flags,
  };
}

/** The bank has read a request of ours: its door is open. */
export const withDoorOpen = (state: TransferState): TransferState => ({
  ...state,
  flags: clear(state.flags, 'BANK_UNAUTHORIZED'),
  bank: { ...state.bank, unauthorizedRun: 0 },
});
