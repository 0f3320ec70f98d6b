import { afterCreate } from './after-create';
import { afterHeldBack } from './after-held-back';
import { afterDeferral } from './lateness';
import { afterLookup } from './after-lookup';
import { afterDecision } from './decisions/after-decision';
import { afterReceipt } from './after-receipt';
import { withAgeFlag, withConflict } from './flag-rules';
import { NO_DECISIONS } from './decisions/decision';
import type { JournalRefused, RepeatDenied, TransferEvent } from './events';
import { isRaised, openReasons, raise } from './flags';
import type { Flags } from './flags';
import { recordedResult, withdrawn } from './make-result';
import type { Sends, TransferState } from './state';
import { withVoidedProposals } from './decisions/voided-proposals';

/**
 * The state machine of a transfer: the state after an event. Pure: the same state and event give the same state, now
 * and in every replay. `nextStep` names the next step.
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
      // While `JOURNAL_CONFLICT` is open, the run does not take over the journal's result; after `resume` it does.
      return isRaised(state.flags, 'JOURNAL_CONFLICT')
        ? { ...state, requests: { ...state.requests, lastEndedAtMs: event.atMs } }
        : recordedResult(state, event.result);
    case 'create-ended':
      return afterCreate(state, event);
    case 'lookup-ended':
      return afterLookup(state, event);
    case 'held-back':
      return afterHeldBack(state, event);
    case 'request-deferred':
      return afterDeferral(state, event);
    case 'withdrawal-granted':
      return withdrawn(state, event);
    case 'withdrawal-too-late':
      // This run was reset to a point before its create: the create's step will return the recorded answer.
      return { ...state, withdrawalDenied: true };
    case 'repeat-denied':
      return afterDenial({ ...state, requests: { ...state.requests, lastEndedAtMs: event.atMs } }, event);
    case 'journal-out-of-order':
      // A journal ahead of this run (a reset, or another worker acted) is read again. A journal behind this run has
      // lost requests that were made.
      if (event.lastNumber > state.requests.lastNumber) return { ...state, stage: { name: 'receiving' } };
      return withConflict(
        state,
        {
          cause: 'numbers',
          reason: `the journal's last request is number ${event.lastNumber}, and this run has made number ${state.requests.lastNumber}`,
        },
        event.atMs,
      );
    case 'create-in-doubt':
      return {
        ...state,
        stage: { name: 'looking-up' },
        requests: { ...state.requests, lastEndedAtMs: event.atMs },
        sends: withSendInDoubt(state.sends, event.atMs),
      };
    case 'journal-refused':
      return afterRefusal(state, event);
    case 'step-gave-up':
      return gaveUp(state, event.endDoubtMs ?? 0);
    case 'result-recorded':
      return event.conflict
        ? withConflict(
            state,
            { cause: 'result', reason: `the journal holds another end: ${event.result.status}` },
            event.atMs,
          )
        : recordedResult(state, event.result);
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
      return withoutDecisions(state, event.atMs);
    case 'settings-received':
      return { ...state, settings: event.settings };
    case 'time-passed':
      return state;
    case 'hinted':
      return { ...state, hintedAtMs: event.atMs };
    case 'cancel-requested':
      return state.cancelRequestedAtMs === null ? { ...state, cancelRequestedAtMs: event.atMs } : state;
  }
}

function afterDenial(state: TransferState, { atMs, refusal }: RepeatDenied): TransferState {
  const { sends, bank } = state;
  // This run knows of no send, so the journal knows more: read the journal again.
  if (sends.count === 0) return { ...state, stage: { name: 'receiving' } };
  const asked: TransferState = { ...state, stage: { name: 'looking-up' } };
  // As after a refusal in time: look-ups must confirm that nothing was taken.
  return refusal !== undefined && sends.count === 1 && sends.isCountKnown !== false
    ? { ...asked, sends: { ...sends, refusal }, bank: { ...bank, notFoundRun: 0 } }
    : { ...asked, flags: raise(state.flags, 'OUTCOME_UNKNOWN', atMs) };
}

/**
 * The next run has only the state. So the last request counts as ended at the latest possible time, and a create counts
 * as tried.
 */
function gaveUp({ requests, sends, ...state }: TransferState, endDoubtMs: number): TransferState {
  const { lastEndedAtMs } = requests;
  return {
    ...state,
    requests: { ...requests, lastEndedAtMs: lastEndedAtMs === null ? null : lastEndedAtMs + endDoubtMs },
    sends: state.stage.name === 'sending' ? { ...sends, isTried: true } : sends,
  };
}

/** The decisions have no effect: the transfer returns to the journal's state and flags. */
const withoutDecisions = (state: TransferState, atMs: number): TransferState => ({
  ...state,
  stage: { name: 'receiving' },
  decisions: NO_DECISIONS,
  flags: state.recordedReasons.reduce<Flags>((flags, reason) => raise(flags, reason, atMs), {}),
});

/** The journal refused a write: flagged as `JOURNAL_CONFLICT`, and not retried before operators have decided. */
function afterRefusal(before: TransferState, event: JournalRefused): TransferState {
  const { atMs, step, reason, madeNumber } = event;
  const made =
    madeNumber === null ? before : withUnrecordedRequest(before, { step, number: madeNumber, atMs });
  const base = step === 'record-decision' ? withoutDecisions(made, atMs) : made;
  const state = withConflict(base, { reason, cause: causeOf(event) }, atMs);
  // The journal refuses the flags themselves: only Temporal shows them, and they are not recorded again.
  return step === 'record-flags' ? { ...state, recordedReasons: openReasons(state.flags) } : state;
}

/** Equal when the same rule refuses the same step; numbers in the sentence may differ. */
const causeOf = ({ step, code, reason }: JournalRefused): string =>
  `${step} ${code} ${reason.replace(/[0-9]+/g, 'n')}`;

function withUnrecordedRequest(
  state: TransferState,
  {
    step,
    number,
    atMs,
  }: { readonly step: JournalRefused['step']; readonly number: number; readonly atMs: number },
): TransferState {
  const requests = { ...state.requests, lastNumber: number };
  return step === 'create'
    ? { ...state, requests, stage: { name: 'looking-up' }, sends: withSendInDoubt(state.sends, atMs) }
    : { ...state, requests: { ...requests, polls: requests.polls + 1, lastPolledAtMs: atMs } };
}

/** One more create may just have reached the bank; the order is not sent again. */
const withSendInDoubt = (sends: Sends, atMs: number): Sends => ({
  ...sends,
  count: sends.count + 1,
  firstAtMs: sends.firstAtMs ?? atMs,
  lastAtMs: atMs,
  refusal: null,
  mayRepeat: false,
  isCountKnown: false,
});
