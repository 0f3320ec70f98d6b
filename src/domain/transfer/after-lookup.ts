import { retryAfterOf } from './answers';
import { hintAfter } from './cadence';
import type { LookupEnded } from './events';
import { clear, raise } from './flags';
import { refusedResult } from './make-result';
import { withEvidence, withMovement } from './movement-seen';
import { NOT_FOUND_CONFIRMATIONS, mayRepeatSend } from './repeat';
import { isAnsweredLate } from './state';
import type { TransferState } from './state';
import { withCredentialsAccepted, withUnauthorizedRun } from './flag-rules';

/** A get-movement has ended. An error neither counts as a not-found nor ends a series of not-founds. */
export function afterLookup(before: TransferState, event: LookupEnded): TransferState {
  const state = withEvidence(withLookupMade(before, event), event);
  const { answer } = event;
  switch (answer.kind) {
    case 'movement':
      return withMovement(withCredentialsAccepted(state), answer.movement, { ...event, by: 'lookup' });
    case 'not-found':
      return notFound(withCredentialsAccepted(state), event);
    case 'no-answer':
      return withUnauthorizedRun(state, answer.error, event.atMs);
  }
}

function notFound(before: TransferState, event: LookupEnded): TransferState {
  const lastNotFound = { number: event.number, atMs: event.atMs };
  // A create whose worker was lost may still reach the bank after this answer, so the answer does not count.
  if (event.startedAtMs < (before.sends.lastAtMs ?? 0)) {
    return { ...before, bank: { ...before.bank, lastNotFound } };
  }
  const notFoundRun = before.bank.notFoundRun + 1;
  const state: TransferState = { ...before, bank: { ...before.bank, notFoundRun, lastNotFound } };
  // Nothing was sent, so the bank has nothing to find.
  if (notFoundRun < NOT_FOUND_CONFIRMATIONS || state.sends.count === 0) return state;
  if (state.bank.lastStatus !== null) return { ...state, flags: raise(state.flags, 'VANISHED', event.atMs) };
  if (state.sends.refusal !== null) {
    return {
      ...state,
      flags: clear(state.flags, 'OUTCOME_UNKNOWN'),
      stage: {
        name: 'ending',
        result: refusedResult(state),
        evidenceNumber: event.number,
        operators: [],
        sinceMs: event.atMs,
      },
    };
  }
  if (mayRepeatSend(state, event.atMs)) {
    return { ...state, bank: { ...state.bank, notFoundRun: 0 }, stage: { name: 'sending' } };
  }
  return { ...state, flags: raise(state.flags, 'OUTCOME_UNKNOWN', event.atMs) };
}

function withLookupMade(state: TransferState, event: LookupEnded): TransferState {
  const { answer } = event;
  const error = answer.kind === 'no-answer' ? answer.error : null;
  const isRepeat = error?.code === 'REPEATED_STEP';
  // A repeat of the send was due, but its window is over: from now on only look-ups are made.
  const gaveUp = state.stage.name === 'sending' && state.sends.count > 0;
  return {
    ...state,
    stage: gaveUp ? { name: 'looking-up' } : state.stage,
    flags: gaveUp ? raise(state.flags, 'OUTCOME_UNKNOWN', event.atMs) : state.flags,
    settings: event.settings,
    // A repeated step may have made its request before the hint arrived, so the hint is kept.
    hintedAtMs: isRepeat ? state.hintedAtMs : hintAfter(state.hintedAtMs, event.startedAtMs),
    requests: {
      ...state.requests,
      lastNumber: event.number,
      isUnanswered: isRepeat,
      lastEndedAtMs: event.atMs + event.inFlightMs,
      notBeforeMs: event.atMs + (retryAfterOf(answer) ?? 0),
      deferredFromMs: null,
      polls: state.requests.polls + (isAnsweredLate(state, event.number) ? 0 : 1),
      lastPolledAtMs: event.atMs,
      lastError: error,
    },
  };
}
