import { afterCreate } from './after-create';
import { afterHeldBack } from './after-held-back';
import { afterDeferral } from './after-deferral';
import { afterLookup } from './after-lookup';
import { afterDecision } from './decisions/after-decision';
import { afterReceipt } from './after-receipt';
import { withAgeFlag } from './age';
import { NO_DECISIONS } from './decisions/decision';
import type { TransferEvent } from './events';
import { isRaised, raise } from './flags';
import { withSendInDoubt } from './known-sends';
import type { Flags } from './flags';
import { withdrawnResult } from './make-result';
import type { TransferResult } from './result';
import type { TransferState } from './state';
import { withVoidedProposals } from './decisions/voided-proposals';

/**
 * The decisions of a transfer: what a state becomes by an event. Pure: the same state and event give the same state,
 * now and in every replay. What to do next is `nextStep`.
 */
export function apply(state: TransferState, event: TransferEvent): TransferState {
  const judged = judge(state, event);
  return withAgeFlag(withVoidedProposals(state, judged), event.atMs);
}

function judge(state: TransferState, event: TransferEvent): TransferState {
  switch (event.kind) {
    case 'received':
      return afterReceipt(state, event);
    case 'already-ended':
      // A journal that holds another result than the bank told: a person decides which one stands.
      return isRaised(state.flags, 'JOURNAL_CONFLICT')
        ? { ...state, requests: { ...state.requests, lastEndedAtMs: event.atMs } }
        : withResult(state, event.result);
    case 'create-ended':
      return afterCreate(state, event);
    case 'lookup-ended':
      return afterLookup(state, event);
    case 'held-back':
      return afterHeldBack(state, event);
    case 'request-deferred':
      return afterDeferral(state, event);
    case 'withdrawal-granted':
      return {
        ...state,
        requests: { ...state.requests, lastNumber: event.number },
        stage: {
          name: 'settling',
          result: withdrawnResult(state),
          evidenceNumber: event.number,
          operators: [],
          sinceMs: event.atMs,
        },
      };
    case 'withdrawal-too-late':
      // This run has been reset to before a create: its step answers with what the journal recorded of it.
      return { ...state, withdrawalDenied: true };
    case 'repeat-denied':
      return {
        ...state,
        stage: { name: 'looking-up' },
        requests: { ...state.requests, lastEndedAtMs: event.atMs },
        flags: raise(state.flags, 'OUTCOME_UNKNOWN', event.atMs),
      };
    case 'journal-out-of-order':
      // Ahead of this run (it was reset, or another worker acted): what the journal holds is read again. Behind it:
      // the journal has lost requests that were made.
      if (event.lastNumber > state.requests.lastNumber) return { ...state, stage: { name: 'receiving' } };
      return {
        ...state,
        requests: { ...state.requests, lastEndedAtMs: event.atMs },
        sends: event.perhapsSent === true ? withSendInDoubt(state.sends, event.atMs) : state.sends,
        flags: raise(state.flags, 'JOURNAL_CONFLICT', event.atMs),
      };
    case 'result-recorded':
      return event.conflict
        ? {
            ...state,
            requests: { ...state.requests, lastEndedAtMs: event.atMs },
            flags: raise(state.flags, 'JOURNAL_CONFLICT', event.atMs),
          }
        : withResult(state, event.result);
    case 'flags-recorded':
      return { ...state, recordedReasons: event.reasons };
    case 'decided':
      return afterDecision(state, event.record, event.atMs);
    case 'decision-recorded':
      return {
        ...state,
        decisions: {
          ...state.decisions,
          unrecorded: state.decisions.unrecorded.filter(({ id }) => id !== event.id),
        },
      };
    case 'decision-not-recorded':
      // Nothing has come of it: the transfer is what the journal says, with the flags that it holds.
      return {
        ...state,
        stage: { name: 'receiving' },
        decisions: NO_DECISIONS,
        flags: state.recordedReasons.reduce<Flags>((flags, reason) => raise(flags, reason, event.atMs), {}),
      };
    case 'hinted':
      return { ...state, hintedAtMs: event.atMs };
    case 'cancel-requested':
      return state.cancelRequestedAtMs === null ? { ...state, cancelRequestedAtMs: event.atMs } : state;
  }
}

function withResult(state: TransferState, result: TransferResult): TransferState {
  const { movementId, network, networkId, orderSha256 } = result;
  return {
    ...state,
    orderSha256,
    bank: { ...state.bank, movementId, network, networkId },
    flags: {},
    stage: { name: 'ended', result },
  };
}
