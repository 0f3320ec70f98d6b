import { isUnbelieved, retryAfterOf } from './answers';
import type { SeenMovement } from './answers';
import type { CreateEnded } from './events';
import { withCredentialsAccepted, withUnauthorizedRun } from './flag-rules';
import { echoAfter } from './echo-state';
import { raise } from './flags';
import { withEvidence, withMovement } from './movement-seen';
import { hintAfter } from './cadence';
import { isAnsweredLate } from './state';
import type { Sends, TransferState } from './state';

/**
 * A create has ended in one of its four ways (contract 4.2). The transfer takes over a movement whose echo is not a
 * mismatch. A sure "not sent" leads back to `sending`, unless the journal has lost requests of the transfer. After
 * every other end, a refusal included, only look-ups by originId show whether the bank took the order.
 */
export function afterCreate(before: TransferState, event: CreateEnded): TransferState {
  const { answer } = event;
  const made = withEvidence(withCreateMade(uncounted(before, event), event), event);
  const state =
    answer.kind === 'answered' || answer.kind === 'refused' ? withCredentialsAccepted(made) : made;
  switch (answer.kind) {
    case 'answered':
      return answered({ ...state, sends: withSend(state.sends, event) }, answer.movement, event);
    case 'not-sent': {
      const sends = withoutSend(state.sends);
      const unsent: TransferState = {
        ...state,
        sends,
        // Nothing was sent, so a cancel that this create had denied may be granted.
        withdrawalDenied: false,
        stage: { name: sends.isCountKnown === false ? 'looking-up' : 'sending' },
      };
      return isUnbelieved(answer.error)
        ? { ...unsent, flags: raise(unsent.flags, 'ORDER_TAMPERED', event.atMs) }
        : unsent;
    }
    case 'refused': {
      // Only a refusal of the first send can mean that the bank took nothing.
      const first = state.sends.count === 0 && state.sends.isCountKnown !== false;
      const refusal = first ? { httpStatus: answer.httpStatus, code: answer.code } : null;
      return { ...state, sends: { ...withSend(state.sends, event), refusal }, stage: { name: 'looking-up' } };
    }
    case 'unknown':
      return withUnauthorizedRun(
        { ...state, sends: withSend(state.sends, event), stage: { name: 'looking-up' } },
        answer.error,
        event.atMs,
      );
  }
}

function answered(state: TransferState, movement: SeenMovement, event: CreateEnded): TransferState {
  if (movement.echo !== 'mismatch') return withMovement(state, movement, { ...event, by: 'create' });
  // A create's answer with a wrong echo is not about our order: a look-up shows what the bank has under our originId.
  // But the answer's movement id counts.
  const echo = echoAfter(state.bank.echo, movement, 'create').echo;
  return {
    ...state,
    stage: { name: 'looking-up' },
    bank: { ...state.bank, echo },
    flags: echo.isMismatched ? raise(state.flags, 'ECHO_MISMATCH', event.atMs) : state.flags,
  };
}

function withCreateMade(state: TransferState, event: CreateEnded): TransferState {
  const { answer } = event;
  const error = answer.kind === 'not-sent' || answer.kind === 'unknown' ? answer.error : null;
  return {
    ...state,
    settings: event.settings,
    sends: { ...state.sends, heldBack: null, isTried: false },
    hintedAtMs: hintAfter(state.hintedAtMs, event.startedAtMs),
    requests: {
      ...state.requests,
      lastNumber: event.number,
      isUnanswered: error?.code === 'REPEATED_STEP',
      lastEndedAtMs: event.isLost === true ? event.atMs : event.atMs + event.inFlightMs,
      notBeforeMs: event.atMs + (retryAfterOf(answer) ?? 0),
      deferredFromMs: null,
      lastError: error,
    },
    bank: { ...state.bank, notFoundRun: 0 },
  };
}

/**
 * A create without a recorded answer was counted as sent. Its answer is known now: this function removes it from the
 * count, and `afterCreate` counts it again by its answer.
 */
function uncounted(state: TransferState, { number }: CreateEnded): TransferState {
  const { sends } = state;
  return isAnsweredLate(state, number) ? { ...state, sends: { ...sends, count: sends.count - 1 } } : state;
}

/** If the journal has lost requests, one of them may be a create that was sent. */
function withoutSend(sends: Sends): Sends {
  const count = sends.isCountKnown === false ? Math.max(sends.count, 1) : sends.count;
  return {
    ...sends,
    count,
    notSentRun: sends.notSentRun + 1,
    ...(count === 0 ? { firstAtMs: null, lastAtMs: null } : {}),
  };
}

function withSend(sends: Sends, event: CreateEnded): Sends {
  return {
    ...sends,
    count: sends.count + 1,
    firstAtMs: sends.firstAtMs ?? event.atMs - event.claimAgeMs,
    // The bytes may be in flight until the request has ended.
    lastAtMs: event.atMs + event.inFlightMs,
    notSentRun: 0,
    refusal: null,
  };
}
