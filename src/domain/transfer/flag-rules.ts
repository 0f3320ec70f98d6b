import { clear, raise, isRaised } from './flags';
import type { TransferState, Conflict } from './state';
import type { RequestError } from './answers';

/** Answers 401 or 403 in a row before `BANK_UNAUTHORIZED` is raised (contract 4.2). */
const UNAUTHORIZED_CONFIRMATIONS = 12;

/**
 * `OPEN_TOO_LONG` (contract 4.6): still open after `ATTENTION_AFTER_ACTIVE` in statuses of the active cadence, after
 * `ATTENTION_AFTER_DELAYED` in DELAYED, or after the sum of both, even if the status alternates. The transfer
 * continues; the flag clears when a change of cadence or a resume by operators restarts the count.
 */
export function withAgeFlag(state: TransferState, nowMs: number): TransferState {
  const flags = isTooOld(state, nowMs)
    ? raise(state.flags, 'OPEN_TOO_LONG', nowMs)
    : clear(state.flags, 'OPEN_TOO_LONG');
  return flags === state.flags ? state : { ...state, flags };
}

const isTooOld = (state: TransferState, nowMs: number): boolean => {
  const atMs = tooOldAtMs(state);
  return atMs !== null && nowMs >= atMs;
};

/** When `OPEN_TOO_LONG` is due; null: never. ms by the run's clock. */
export function tooOldAtMs({ stage, bank, settings, ...state }: TransferState): number | null {
  if (stage.name === 'ended') return null;
  // The end is known and only has to be recorded: count from the time when it became known.
  if (stage.name === 'ending')
    return stage.sinceMs === undefined ? null : stage.sinceMs + settings.attentionAfterActiveMs;
  // Operators who resumed the transfer have seen its age: count from the resume.
  const openedAtMs = Math.max(state.openedAtMs, state.resumedAtMs ?? state.openedAtMs);
  const { attentionAfterActiveMs, attentionAfterDelayedMs } = settings;
  const limitMs = bank.status === 'DELAYED' ? attentionAfterDelayedMs : attentionAfterActiveMs;
  return Math.min(
    Math.max(bank.paceSinceMs ?? openedAtMs, openedAtMs) + limitMs,
    openedAtMs + attentionAfterActiveMs + attentionAfterDelayedMs,
  );
}

/** Raises `JOURNAL_CONFLICT`. The first reason remains until operators resume. */
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

/** Twelve answers 401 or 403 in a row: the bank refuses our credentials, and a person must look. */
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

/** The bank has accepted our credentials. */
export const withCredentialsAccepted = (state: TransferState): TransferState => ({
  ...state,
  flags: clear(state.flags, 'BANK_UNAUTHORIZED'),
  bank: { ...state.bank, unauthorizedRun: 0 },
});
