import {
  CancellationScope,
  TemporalFailure,
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { apply } from '../domain/transfer/apply';
import type { TransferEvent } from '../domain/transfer/events';
import { openReasons } from '../domain/transfer/flags';
import { nextStep } from '../domain/transfer/next-step';
import type { TransferResult } from '../domain/transfer/result';
import { initialState } from '../domain/transfer/state';
import type { TransferState } from '../domain/transfer/state';
import { viewOf } from '../domain/transfer/view';
import { cutArgument } from './cut-argument';
import { carryOut, checkOwn } from './transfer/carry-out';
import { DecisionQueue } from './transfer/decision-queue';
import type { DecisionLost } from './transfer/decision-queue';
import { currentDetails } from './transfer/details';
import { isExpectedFailure } from './failures';
import { decideUpdate, movementHint, stateQuery } from './messages';
import { isContinued, isLongRun } from './run-chain';
import { RunClock } from './run-clock';
import type { Messages } from './run-clock';
import { attributesOf, entryOfStart, indexEntry, indexedNow, isMisleading } from './transfer/index-entry';
import type { Indexed } from './transfer/index-entry';

/** A run continues as new after so many look-ups or events, so that replays stay short and histories small. */
const LOOKUPS_PER_RUN = 30;
const EVENTS_PER_RUN = 1_000;

/**
 * One transfer, from order to final state. The domain decides everything (`apply`, `nextStep`); this function only
 * calls the activity of each step and applies the outcome.
 *
 * @param argument the bank's create body as the caller wrote it
 * @param carried the state of the run that this one continues; only continue-as-new passes it
 */
export async function transfer(argument: unknown, carried?: TransferState): Promise<TransferResult> {
  const order = cutArgument(argument);
  const continued = isContinued() ? carried : undefined;
  const arrived = { hints: 0, isCancelled: false };
  let isSending = false;
  let known: Messages = { ...arrived, decisions: 0 };
  const clock = new RunClock(continued?.requests.lastEndedAtMs ?? null, {
    arrived: () => ({ ...arrived, decisions: decisions.arrived(), ...(isSending ? { isSending } : {}) }),
    know: (messages) => {
      const before = state;
      state = afterMessages(state, messages);
      known = messages;
      if (state !== before) publish();
    },
  });
  let state = continued ?? initialState(originIdOf(order), clock.nowMs());
  const started =
    continued === undefined ? entryOfStart(workflowInfo().typedSearchAttributes, state.originId) : null;
  let indexed: Indexed = {
    ...{ requests: state.requests.lastNumber, ms: clock.nowMs(), isByStart: started !== null },
    entry: continued === undefined ? started : indexEntry(continued),
  };
  let lookups = 0;

  const publish = (): void => {
    setCurrentDetails(currentDetails(state, iso));
    // Before its receipt a transfer needs no index entry, unless the receipt itself needs a person.
    if (state.stage.name !== 'receiving' || openReasons(state.flags).length > 0) writeIndex();
  };
  const writeIndex = (): void => {
    const now = indexedNow(indexed, state, {
      nowMs: clock.nowMs(),
      found: workflowInfo().typedSearchAttributes,
    });
    indexed = now.indexed;
    if (now.changes.length > 0) upsertSearchAttributes([...now.changes]);
  };
  const dispatch = (event: TransferEvent): void => {
    state = apply(state, event);
    publish();
  };

  const decisions: DecisionQueue = new DecisionQueue(() => state, dispatch, clock);

  const afterMessages = (before: TransferState, { hints, isCancelled }: typeof arrived): TransferState => {
    const atMs = clock.nowMs();
    const hinted = hints > known.hints ? apply(before, { kind: 'hinted', atMs }) : before;
    return isCancelled && !known.isCancelled ? apply(hinted, { kind: 'cancel-requested', atMs }) : hinted;
  };
  /** The state after messages that have arrived and are not known yet. */
  const coming = (): TransferState => afterMessages(state, arrived);

  setHandler(stateQuery, () => viewOf(coming(), iso), { description: 'state of the transfer, as JSON' });
  setHandler(
    movementHint,
    () => {
      arrived.hints += 1;
    },
    { description: 'ask the bank as soon as its last status allows: {"source": "…", "eventId": "…"}' },
  );
  setHandler(decideUpdate, decisions.decide, {
    validator: decisions.validate,
    description:
      'decide about a flagged transfer: {"originId": 1, "action": "…", "operator": "…", "reason": "…"}',
  });
  CancellationScope.current().cancelRequested.catch(() => {
    arrived.isCancelled = true;
  });

  // The bank has no cancel for a transfer that was sent, so the main loop continues to the end: a cancel is only an
  // event.
  return CancellationScope.nonCancellable(async () => {
    keepScopesShielded();
    publish();
    for (;;) {
      // In a replay, a decision may be known before its update is delivered.
      if (decisions.arrived() < known.decisions)
        await condition(() => decisions.arrived() >= known.decisions);
      const isToVerify = decisions.takeUp(known.decisions);
      const step = nextStep(state, clock.gapNowMs());
      if (step.do === 'end') {
        decisions.takeUp(decisions.arrived());
        await condition(allHandlersFinished);
        return step.result;
      }
      if (
        !isToVerify &&
        (step.do === 'lookup' || step.do === 'create' || step.do === 'receive') &&
        isLongRun(lookups, clock, { polls: LOOKUPS_PER_RUN, events: EVENTS_PER_RUN })
      ) {
        if (!clock.isAtTimer()) await clock.pause();
        // This run must answer the decisions that have arrived. The next run gets every other message.
        if (allHandlersFinished()) await continueAsNew(order, coming());
      }
      if (step.do === 'lookup' && !isToVerify) lookups += 1;
      try {
        if (isToVerify) {
          await decisions.verify();
          continue;
        }
        const outcome = await carryOut(step, {
          order,
          state: () => state,
          coming,
          isWaiting: decisions.isWaiting,
          setSending: (isInFlight) => {
            isSending = isInFlight;
          },
          clock,
        });
        for (const event of [outcome ?? []].flat()) {
          checkOwn(event, state.originId);
          if (step.do === 'record-decision' && isDecisionLost(event)) decisions.fail(step.record.id, event);
          if (step.do === 'receive' && event.kind === 'journal-refused') decisions.stillRefused(event.reason);
          dispatch(event);
        }
      } catch (error) {
        // A local activity that gave up after a back-off throws its own failure, not an ActivityFailure around it.
        if (!(error instanceof TemporalFailure)) throw error;
        if (isExpectedFailure(error)) {
          // Operators search by these attributes: the failed run must not keep what its start claimed.
          if (isMisleading(workflowInfo().typedSearchAttributes, state)) writeIndex();
          throw error;
        }
        // The journal was unreachable during all attempts of a step. The next run repeats the step with an empty
        // history: an outage of days must not fill a history to the limit at which Temporal ends a run.
        await clock.read();
        dispatch({ kind: 'step-gave-up', atMs: clock.nowMs(), endDoubtMs: clock.endDoubtMs() });
        decisions.giveUp();
        await clock.pause();
        await condition(allHandlersFinished);
        await continueAsNew(order, coming());
      }
    }
  });
}

/** The event discards the operators' decision. */
const isDecisionLost = (event: TransferEvent): event is DecisionLost =>
  event.kind === 'decision-not-recorded' ||
  (event.kind === 'journal-refused' && event.step === 'record-decision');

/** Carries the search attributes along, so that the next run writes none. */
function continueAsNew(order: unknown, state: TransferState): Promise<never> {
  const typedSearchAttributes = attributesOf(indexEntry(state));
  return makeContinueAsNewFunc<typeof transfer>({ typedSearchAttributes })(order, state);
}

/**
 * If a cancel arrives while a scope exists inside the non-cancellable one, the SDK records at once, in the task of the
 * cancel, which of its rules apply (an SDK flag). A replay needs the record in this task. So this scope exists from the
 * start. Without it, the SDK would record the flag only with the next new scope, perhaps too late for a replay.
 */
function keepScopesShielded(): CancellationScope {
  return new CancellationScope();
}

/** The originId of an order that is not validated yet, for query `state`; 0 when it has none. */
function originIdOf(order: unknown): number {
  const id: unknown =
    typeof order === 'object' && order !== null && 'originId' in order ? order.originId : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0;
}

const iso = (ms: number): string => new Date(ms).toISOString();
