import { isRaised, raise } from './flags';
import type { Conflict, TransferState } from './state';

/** `JOURNAL_CONFLICT`; the first reason stands until operators resume. */
export function withConflict(
  state: TransferState,
  { reason, cause }: Omit<Conflict, 'isUnexplained'>,
  atMs: number,
): TransferState {
  const requests = { ...state.requests, lastEndedAtMs: atMs };
  if (isRaised(state.flags, 'JOURNAL_CONFLICT')) return { ...state, requests };
  const isUnexplained = state.conflict !== null && state.conflict.cause === cause;
  return {
    ...state,
    requests,
    conflict: { reason, cause, isUnexplained },
    flags: raise(state.flags, 'JOURNAL_CONFLICT', atMs),
  };
}
