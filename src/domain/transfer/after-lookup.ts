import { NOT_FOUND_CONFIRMATIONS } from './cadence';
import type { LookupEnded } from './events';
import { clear, raise } from './flags';
import { hintAfter } from './hint';
import { refusedResult } from './make-result';
import { withMovement } from './movement-seen';
import type { TransferState } from './state';
import { withUnauthorizedRun } from './unauthorized';

/** Creates of one originId that may reach the bank, in all (contract 4.2). */
export const SENDS_MAX = 3;

/** A get-movement has ended. Errors neither count nor reset: only readable answers tell something. */
export function afterLookup(before: TransferState, event: LookupEnded): TransferState {
  const state = withLookupMade(before, event);
  const { answer } = event;
  switch (answer.kind) {
    case 'movement':
      return withMovement(withDoorOpen(state), answer.movement, event);
    case 'not-found':
      return notFound(withDoorOpen(state), event);
    case 'no-answer':
      return withUnauthorizedRun(state, answer.error, event.atMs);
  }
}

function notFound(before: TransferState, event: LookupEnded): TransferState {
  const notFoundRun = before.bank.notFoundRun + 1;
  const state: TransferState = { ...before, bank: { ...before.bank, notFoundRun } };
  if (notFoundRun < NOT_FOUND_CONFIRMATIONS) return state;
  if (state.bank.found) return { ...state, flags: raise(state.flags, 'VANISHED', event.atMs) };
  if (state.sends.refusal !== null) {
    return {
      ...state,
      flags: clear(state.flags, 'OUTCOME_UNKNOWN'),
      stage: { name: 'settling', result: refusedResult(state), evidenceNumber: event.number },
    };
  }
  if (mayRepeatSend(state, event.atMs)) {
    return { ...state, bank: { ...state.bank, notFoundRun: 0 }, stage: { name: 'sending' } };
  }
  return { ...state, flags: raise(state.flags, 'OUTCOME_UNKNOWN', event.atMs) };
}

/** The same bytes once more: at most three sends, the later two soon after the first, and nothing ever found. */
export function mayRepeatSend({ sends, settings, stage, flags }: TransferState, nowMs: number): boolean {
  return (
    stage.name === 'looking-up' &&
    flags.OUTCOME_UNKNOWN === undefined &&
    sends.mayRepeat &&
    sends.count < SENDS_MAX &&
    sends.firstAtMs !== null &&
    nowMs - sends.firstAtMs <= settings.resendWindowMs
  );
}

function withLookupMade(state: TransferState, event: LookupEnded): TransferState {
  const { answer } = event;
  const error = answer.kind === 'no-answer' ? answer.error : null;
  return {
    ...state,
    settings: event.settings,
    hintedAtMs: hintAfter(state.hintedAtMs, event.startedAtMs),
    requests: {
      ...state.requests,
      lastNumber: event.number,
      lastEndedAtMs: event.atMs + event.inFlightMs,
      notBeforeMs: event.atMs + (error?.retryAfterMs ?? 0),
      polls: state.requests.polls + 1,
      lastPolledAtMs: event.atMs,
      lastError: error,
    },
  };
}

const withDoorOpen = (state: TransferState): TransferState => ({
  ...state,
  flags: clear(state.flags, 'BANK_UNAUTHORIZED'),
  bank: { ...state.bank, unauthorizedRun: 0 },
});
