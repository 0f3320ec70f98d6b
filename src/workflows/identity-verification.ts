import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  workflowInfo,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { applyToVerification } from '../domain/verification/apply';
import type { VerificationEvent } from '../domain/verification/events';
import { nextVerificationStep } from '../domain/verification/next-step';
import { isRequestId, verificationWorkflowId } from '../domain/verification/request-id';
import { initialVerification } from '../domain/verification/state';
import type { VerificationResult, VerificationState } from '../domain/verification/state';
import { verificationView } from '../domain/verification/view';
import { cutArgument } from './cut-argument';
import { isContinued, isLongRun } from './run-chain';
import { carryOutVerification } from './verification/carry-out';
import { verificationDetails } from './verification/details';
import {
  changedVerificationAttributes,
  verificationAttributes,
  verificationIndexEntry,
} from './verification/index-entry';
import type { VerificationIndexEntry } from './verification/index-entry';
import { RunClock } from './run-clock';
import type { Messages } from './run-clock';
import { verificationHint, verificationStateQuery } from './messages';
import { stopVerification } from './verification/proxies';

/**
 * A run continues as new after so many look-ups (twelve events each) or events, so that no history grows over months.
 */
const POLLS_PER_RUN = 20;
const EVENTS_PER_RUN = 500;

/**
 * One identity verification, looked up until the bank reports a status that is mapped to approved or rejected. The
 * domain decides everything; this function calls the activity of each step and applies its outcome. A cancel stops the
 * tracking until somebody starts it again.
 *
 * @param argument `{"requestId": "…"}`
 * @param carried the state of the run that this one continues; only continue-as-new passes it
 * @param wasCancelled the continued run was cancelled too late to act on the cancel; only continue-as-new passes it
 */
export async function identityVerification(
  argument: unknown,
  carried?: VerificationState,
  wasCancelled = false,
): Promise<VerificationResult> {
  const request = cutArgument(argument);
  const continued = isContinued() ? carried : undefined;
  const arrived = { hints: 0, decisions: 0, isCancelled: false };
  let known: Messages = { ...arrived };
  const clock = new RunClock(continued?.asking.lastEndedAtMs ?? null, {
    arrived: () => ({ ...arrived }),
    know: (messages) => {
      const before = state;
      state = afterHints(state, messages.hints);
      known = messages;
      if (state !== before) publish();
    },
  });
  let state = continued ?? initialVerification(requestIdOf(request), clock.nowMs());
  let indexed: VerificationIndexEntry | null =
    continued === undefined ? null : verificationIndexEntry(continued);
  let polls = 0;

  const publish = (): void => {
    setCurrentDetails(verificationDetails(state, iso));
    if (state.stage.name === 'receiving') return;
    const entry = verificationIndexEntry(state);
    const changes = changedVerificationAttributes(indexed, entry, workflowInfo().typedSearchAttributes);
    indexed = entry;
    if (changes.length > 0) upsertSearchAttributes(changes);
  };
  const dispatch = (event: VerificationEvent): void => {
    state = applyToVerification(state, event);
    publish();
  };

  const afterHints = (before: VerificationState, hints: number): VerificationState =>
    hints > known.hints ? applyToVerification(before, { kind: 'hinted', atMs: clock.nowMs() }) : before;
  /** The state after hints that have arrived and are not known yet. */
  const coming = (): VerificationState => afterHints(state, arrived.hints);

  setHandler(verificationStateQuery, () => verificationView(coming(), iso), {
    description: 'state of the verification, as JSON',
  });
  setHandler(
    verificationHint,
    () => {
      arrived.hints += 1;
    },
    { description: 'ask the bank as soon as the cadence allows: {"source": "…", "eventId": "…"}' },
  );

  try {
    publish();
    if (continued !== undefined && wasCancelled) CancellationScope.current().cancel();
    for (;;) {
      const step = nextVerificationStep(state, clock.gapNowMs());
      if (step.do === 'end') return step.result;
      if (step.do === 'ask') {
        if (isLongRun(polls, clock, { polls: POLLS_PER_RUN, events: EVENTS_PER_RUN })) {
          if (!clock.isAtTimer()) await clock.pause();
          // The run must not act on a cancel that has arrived just now: a replay may not have it yet.
          await continueAsNew(request, coming(), CancellationScope.current().consideredCancelled);
        }
        polls += 1;
      }
      const event = await carryOutVerification(step, { request, state: () => state, coming, clock });
      if (event !== null) dispatch(event);
    }
  } catch (error) {
    // Recovery restarts verifications that are open in the journal, so the journal must record this deliberate stop.
    if (!isCancelled(error)) throw error;
    // Under another workflow id, it is the verification of another run.
    if (
      isRequestId(state.requestId) &&
      workflowInfo().workflowId === verificationWorkflowId(state.requestId)
    ) {
      await CancellationScope.nonCancellable(() =>
        stopVerification.executeWithOptions({ summary: 'tracking was cancelled' }, [
          { requestId: state.requestId },
        ]),
      );
    }
    throw isCancellation(error) ? error : new CancelledFailure('tracking was cancelled');
  }
}

/**
 * A step that was in progress at the cancel, and then failed, is not retried: its failure counts as the cancellation.
 */
function isCancelled(error: unknown): boolean {
  return (
    isCancellation(error) ||
    (error instanceof ActivityFailure && CancellationScope.current().consideredCancelled)
  );
}

/** Carries the search attributes along, so that the next run writes none. */
function continueAsNew(request: unknown, state: VerificationState, isCancelled: boolean): Promise<never> {
  const typedSearchAttributes = verificationAttributes(verificationIndexEntry(state));
  return makeContinueAsNewFunc<typeof identityVerification>({ typedSearchAttributes })(
    request,
    state,
    isCancelled,
  );
}

/** The requestId of an argument that is not validated yet, for query `state`; empty when it has none. */
function requestIdOf(request: unknown): string {
  const id: unknown =
    typeof request === 'object' && request !== null && 'requestId' in request ? request.requestId : undefined;
  return isRequestId(id) ? id : '';
}

const iso = (ms: number): string => new Date(ms).toISOString();
