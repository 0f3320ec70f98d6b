import {
  CancellationScope,
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { StartFacts } from '../activities/start-options';
import { apply } from '../domain/transfer/apply';
import type { TransferEvent } from '../domain/transfer/events';
import { nextStep } from '../domain/transfer/next-step';
import type { Step } from '../domain/transfer/next-step';
import type { TransferResult } from '../domain/transfer/result';
import { initialState } from '../domain/transfer/state';
import type { TransferState } from '../domain/transfer/state';
import { viewOf } from '../domain/transfer/view';
import { currentDetails } from './details';
import { invalidTransferOrder, originIdConflict } from './failures';
import { movementHint, stateQuery } from './messages';
import {
  createTransfer,
  lookUpMovement,
  receiveTransfer,
  recordAnnulment,
  recordFlags,
  recordResult,
  withdrawTransfer,
} from './proxies';
import { changedAttributes, indexEntry } from './search-attributes';
import type { IndexEntry } from './search-attributes';

/** A run is continued as new after that many look-ups or events: replays stay short, histories small. */
const LOOKUPS_PER_RUN = 30;
const EVENTS_PER_RUN = 1_000;

/**
 * One transfer, from order to final state. Every decision is the domain's (`apply`, `nextStep`); this function only
 * carries out the steps and feeds back what came of them.
 *
 * @param order the bank's create body as the caller wrote it
 * @param carried the state of the run that this one continues; only continue-as-new passes it
 */
export async function transfer(order: unknown, carried?: TransferState): Promise<TransferResult> {
  const info = workflowInfo();
  const continued = info.continuedFromExecutionRunId !== undefined ? carried : undefined;
  let state = continued ?? initialState(originIdOf(order), Date.now());
  let indexed: IndexEntry | null = continued === undefined ? null : indexEntry(continued);
  const lookupsBefore = state.requests.polls;

  const publish = (): void => {
    setCurrentDetails(currentDetails(viewOf(state, iso)));
    if (state.stage.name === 'receiving') return;
    const entry = indexEntry(state);
    const changes = changedAttributes(indexed, entry);
    indexed = entry;
    if (changes.length > 0) upsertSearchAttributes(changes);
  };
  const happen = (event: TransferEvent): void => {
    state = apply(state, event);
    publish();
  };

  setHandler(stateQuery, () => viewOf(state, iso));
  setHandler(movementHint, () => happen({ kind: 'hinted', atMs: Date.now() }));
  CancellationScope.current().cancelRequested.catch(() => {
    happen({ kind: 'cancel-requested', atMs: Date.now() });
  });

  const request = (number: number) => ({
    originId: state.originId,
    number,
    runId: info.runId,
    workflowTime: iso(Date.now()),
  });

  const receive = async (): Promise<void> => {
    const received = await receiveTransfer({ order, start: startFacts() });
    const atMs = Date.now();
    switch (received.kind) {
      case 'invalid':
        throw invalidTransferOrder(received.issues);
      case 'conflict':
        throw originIdConflict(state.originId);
      case 'ended':
        return happen({ kind: 'already-ended', atMs, result: received.result });
      case 'open':
        return happen({ ...received, kind: 'received', atMs });
    }
  };

  const wait = async (step: Extract<Step, { do: 'wait' }>): Promise<void> => {
    const planned = JSON.stringify(step);
    const changed = () => JSON.stringify(nextStep(state, Date.now())) !== planned;
    await condition(changed, Math.max(step.untilMs - Date.now(), 1), { summary: timerSummary(step, state) });
  };

  const create = async (number: number): Promise<void> => {
    const startedAtMs = Date.now();
    const scope = new CancellationScope();
    const sending = scope.run(() =>
      createTransfer.executeWithOptions({ summary: `create, request ${number}` }, [request(number)]),
    );
    const sent = sending.then(
      () => true,
      () => true,
    );
    if (
      !(await Promise.race([sent, condition(() => state.cancelRequestedAtMs !== null).then(() => false)]))
    ) {
      // Both steps want this number and the journal gives it to one: when the cancel gets it, no create can.
      if (await withdraw(number)) {
        scope.cancel();
        return;
      }
    }
    const outcome = await sending;
    const atMs = Date.now();
    if (outcome.kind === 'answer')
      return happen({ ...outcome, kind: 'create-ended', atMs, startedAtMs, number });
    interrupted(outcome, number, atMs);
  };

  const lookUp = async (number: number): Promise<void> => {
    const startedAtMs = Date.now();
    const outcome = await lookUpMovement(request(number));
    const atMs = Date.now();
    if (outcome.kind === 'answer')
      return happen({ ...outcome, kind: 'lookup-ended', atMs, startedAtMs, number });
    interrupted(outcome, number, atMs);
  };

  /** True when the transfer is withdrawn. */
  const withdraw = async (number: number): Promise<boolean> => {
    const outcome = await withdrawTransfer({ originId: state.originId, number, runId: info.runId });
    const atMs = Date.now();
    if (outcome.kind === 'granted') happen({ kind: 'withdrawal-granted', atMs, number });
    else if (outcome.kind === 'too-late') happen({ kind: 'withdrawal-too-late', atMs });
    else interrupted(outcome, number, atMs);
    return outcome.kind === 'granted';
  };

  const interrupted = (
    outcome:
      | { readonly kind: 'withdrawn' }
      | { readonly kind: 'ended'; readonly result: TransferResult }
      | { readonly kind: 'out-of-order'; readonly lastNumber: number },
    number: number,
    atMs: number,
  ): void => {
    switch (outcome.kind) {
      case 'withdrawn':
        return happen({ kind: 'withdrawal-granted', atMs, number });
      case 'ended':
        return happen({ kind: 'already-ended', atMs, result: outcome.result });
      case 'out-of-order':
        return happen({ kind: 'journal-out-of-order', atMs, lastNumber: outcome.lastNumber });
    }
  };

  const carryOut = async (step: Exclude<Step, { do: 'end' }>): Promise<void> => {
    switch (step.do) {
      case 'receive':
        return receive();
      case 'wait':
        return wait(step);
      case 'create':
        return create(step.number);
      case 'lookup':
        return lookUp(step.number);
      case 'withdraw':
        await withdraw(step.number);
        return;
      case 'record-flags':
        await recordFlags({ originId: state.originId, reasons: step.reasons });
        return happen({ kind: 'flags-recorded', atMs: Date.now(), reasons: step.reasons });
      case 'record-result':
        return happen({ kind: 'result-recorded', atMs: Date.now(), ...(await recordResult(step.result)) });
      case 'record-annulment': {
        const recorded = await recordAnnulment.executeWithOptions(
          { summary: 'annulment of a FAILED transfer' },
          [{ result: step.result, evidenceNumber: step.evidenceNumber }],
        );
        return happen({ kind: 'result-recorded', atMs: Date.now(), ...recorded });
      }
    }
  };

  // After a send the bank has no cancel: the main line goes on to the end, and a cancel is an event like others.
  return CancellationScope.nonCancellable(async () => {
    publish();
    for (;;) {
      const step = nextStep(state, Date.now());
      if (step.do === 'end') return step.result;
      if (step.do === 'lookup' && runIsLong(state.requests.polls - lookupsBefore) && allHandlersFinished()) {
        await continueAsNew(order, state);
      }
      await carryOut(step);
    }
  });
}

function runIsLong(lookups: number): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return lookups >= LOOKUPS_PER_RUN || historyLength >= EVENTS_PER_RUN || continueAsNewSuggested;
}

/** The index goes along, so that the next run has nothing to write. */
function continueAsNew(order: unknown, state: TransferState): Promise<never> {
  return makeContinueAsNewFunc<typeof transfer>({
    typedSearchAttributes: workflowInfo().typedSearchAttributes,
  })(order, state);
}

function startFacts(): StartFacts {
  const info = workflowInfo();
  return {
    workflowId: info.workflowId,
    hasExecutionTimeout: (info.executionTimeoutMs ?? 0) > 0,
    hasRunTimeout: (info.runTimeoutMs ?? 0) > 0,
    hasCron: (info.cronSchedule ?? '') !== '',
    hasRetryPolicy: info.retryPolicy !== undefined,
  };
}

/** The originId of an order that nobody has judged yet, for query `state`; 0 when it has none. */
function originIdOf(order: unknown): number {
  const id: unknown =
    typeof order === 'object' && order !== null && 'originId' in order ? order.originId : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0;
}

function timerSummary(step: Extract<Step, { do: 'wait' }>, state: TransferState): string {
  const word = state.bank.status ?? 'no status yet';
  return step.before === 'create' ? `next try to send` : `next look-up (${word})`;
}

const iso = (ms: number): string => new Date(ms).toISOString();
