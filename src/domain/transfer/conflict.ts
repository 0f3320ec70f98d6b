import { isRaised, raise } from './flags';
import type { TransferState } from './state';

/** A journal that does not agree with this run: nothing is sent or ended until a person has looked. */
export interface Conflict {
  /** For people; no personal data. */
  readonly reason: string;
  /** Equal for the same step refused by the same rule; null: not known, the journal only has the reason. */
  readonly cause: string | null;
  /** Operators have resumed it and it came again: reading the journal anew does not explain it. */
  readonly isUnexplained: boolean;
}

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
