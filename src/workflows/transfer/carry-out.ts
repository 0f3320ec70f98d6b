import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import type { NumberedRequest, RequestOutcome } from '../../activities/numbered-request';
import type { StartFacts } from '../../activities/start-options';
import type { WithdrawalOutcome } from '../../activities/withdraw-transfer';
import type { TransferEvent } from '../../domain/transfer/events';
import { mayWithdraw, nextStep } from '../../domain/transfer/next-step';
import type { Step } from '../../domain/transfer/next-step';
import { latenessMs } from '../../domain/transfer/lateness';
import type { TransferState } from '../../domain/transfer/state';
import type { KnownRequests } from '../../domain/transfer/past';
import { invalidTransferOrder, originIdConflict } from '../failures';
import { flagsSummary } from '../markdown';
import {
  createTransfer,
  lookUpMovement,
  receiveTransfer,
  recordAnnulment,
  recordDecision,
  recordFlags,
  recordResult,
  withdrawTransfer,
} from './proxies';

export interface Running {
  /** The order as the caller wrote it. */
  readonly order: unknown;
  /** The state now: signals change it while a step is carried out. */
  readonly state: () => TransferState;
  /** Operators have decided something that waits to be taken up. */
  readonly isAsked: () => boolean;
}

/** For the claim before the call and the record after it, each with the journal's own time-out. */
const CREATE_MARGIN_MS = 30_000;

/** Does what a step says, and tells what came of it; null when nothing did but time passing. */
export async function carryOut(
  step: Exclude<Step, { do: 'end' }>,
  running: Running,
): Promise<TransferEvent | null> {
  const { originId } = running.state();
  switch (step.do) {
    case 'receive':
      return receive(running);
    case 'wait':
      await wait(step, running);
      return null;
    case 'create':
      return create(step.number, running);
    case 'lookup':
      return lookUp(step.number, running);
    case 'withdraw':
      return withdrawalEvent(await withdraw(step.number, running), step.number);
    case 'record-flags':
      await recordFlags.executeWithOptions({ summary: flagsSummary(step.reasons) }, [
        { originId, reasons: step.reasons },
      ]);
      return { kind: 'flags-recorded', atMs: Date.now(), reasons: step.reasons };
    case 'record-decision': {
      const { record } = step;
      const { recorded } = await recordDecision.executeWithOptions(
        { summary: `${record.outcome} ${record.action ?? 'proposals'}` },
        [{ originId, record }],
      );
      return recorded
        ? { kind: 'decision-recorded', atMs: Date.now(), id: record.id }
        : { kind: 'decision-not-recorded', atMs: Date.now() };
    }
    case 'record-result': {
      const recorded = await recordResult.executeWithOptions({ summary: step.result.status }, [step.result]);
      return { ...recorded, kind: 'result-recorded', atMs: Date.now() };
    }
    case 'record-annulment': {
      const { result, evidenceNumber, operators } = step;
      const recorded = await recordAnnulment.executeWithOptions(
        { summary: 'annulment of a FAILED transfer' },
        [{ result, evidenceNumber, operators }],
      );
      return { ...recorded, kind: 'result-recorded', atMs: Date.now() };
    }
  }
}

async function receive({ order, state }: Running): Promise<TransferEvent> {
  const received = await receiveTransfer.executeWithOptions({ summary: 'the order, into the journal' }, [
    { order, start: startFacts(), ...knownRequests(state()) },
  ]);
  switch (received.kind) {
    case 'invalid':
      throw invalidTransferOrder(received.issues);
    case 'conflict':
      throw originIdConflict(state().originId);
    case 'ended':
      return { kind: 'already-ended', atMs: Date.now(), result: received.result };
    case 'open':
      return { ...received, kind: 'received', atMs: Date.now() };
  }
}

/** For a run that made some: a journal that was restored may have lost them. */
function knownRequests({ requests: { lastNumber }, sends }: TransferState): { known?: KnownRequests } {
  return lastNumber === 0 && sends.count === 0 ? {} : { known: { lastNumber, sends: sends.count } };
}

/** Sleeps until the step is due, or something that came meanwhile has changed what is due. */
async function wait(step: Extract<Step, { do: 'wait' }>, { state, isAsked }: Running): Promise<void> {
  const planned = JSON.stringify(step);
  // The timer alone brings time forward: a clock read whenever something wakes the run would not replay.
  const sinceMs = Date.now();
  const word = state().bank.status ?? 'no status yet';
  const sending = state().sends.heldBack === null ? 'next try to send' : 'sending is stopped; next try';
  const summary = step.before === 'create' ? sending : `next look-up (${word})`;
  await condition(
    () => isAsked() || JSON.stringify(nextStep(state(), sinceMs)) !== planned,
    Math.max(step.untilMs - Date.now(), 1),
    { summary },
  );
}

/**
 * The send, beside a cancel that may come while it waits for a worker: both want this number and the journal gives it
 * to one. When the cancel gets it, no create can, and the activity need not be waited for.
 */
async function create(number: number, running: Running): Promise<TransferEvent> {
  const startedAtMs = Date.now();
  const scope = new CancellationScope();
  const sending = scope.run(() =>
    createTransfer.executeWithOptions(
      {
        summary: `create, request ${number}`,
        startToCloseTimeout: running.state().settings.createTimeoutMs + CREATE_MARGIN_MS,
      },
      [request(number, running)],
    ),
  );
  const send = { isOver: false };
  const over = (): void => {
    send.isOver = true;
  };
  sending.then(over, over);
  await condition(() => send.isOver || mayWithdraw(running.state()));
  if (!send.isOver) {
    const withdrawal = await withdraw(number, running, { besideCreate: true });
    if (withdrawal.kind === 'granted') {
      scope.cancel();
      return withdrawalEvent(withdrawal, number);
    }
  }
  const outcome = await sending;
  return outcome.kind === 'answer'
    ? { claimAgeMs: 0, ...outcome, kind: 'create-ended', atMs: Date.now(), startedAtMs, number }
    : interruption(outcome, number, startedAtMs);
}

async function lookUp(number: number, running: Running): Promise<TransferEvent> {
  const startedAtMs = Date.now();
  const outcome = await lookUpMovement.executeWithOptions({ summary: `look-up, request ${number}` }, [
    request(number, running),
  ]);
  return outcome.kind === 'answer'
    ? { ...outcome, kind: 'lookup-ended', atMs: Date.now(), startedAtMs, number }
    : interruption(outcome, number, startedAtMs);
}

function withdraw(
  number: number,
  { state }: Running,
  beside: { besideCreate?: true } = {},
): Promise<WithdrawalOutcome> {
  const withdrawal = { originId: state().originId, number, runId: workflowInfo().runId, ...beside };
  return withdrawTransfer.executeWithOptions({ summary: `withdrawal in place of request ${number}` }, [
    withdrawal,
  ]);
}

function withdrawalEvent(outcome: WithdrawalOutcome, number: number): TransferEvent {
  switch (outcome.kind) {
    case 'granted':
      return { kind: 'withdrawal-granted', atMs: Date.now(), number };
    case 'too-late':
      return { kind: 'withdrawal-too-late', atMs: Date.now() };
    case 'ended':
    case 'out-of-order':
      return interruption(outcome, number, Date.now());
  }
}

/** No request was made: it has to wait, or the journal did not give it the number. */
function interruption(
  outcome: Exclude<RequestOutcome<never>, { kind: 'answer' }>,
  number: number,
  startedAtMs: number,
): TransferEvent {
  const atMs = Date.now();
  switch (outcome.kind) {
    case 'deferred':
      return { kind: 'request-deferred', atMs, afterMs: outcome.afterMs };
    case 'withdrawn':
      return { kind: 'withdrawal-granted', atMs, number };
    case 'held-back':
      return { ...outcome, atMs, startedAtMs };
    case 'repeat-denied':
      return { kind: 'repeat-denied', atMs };
    case 'ended':
      return { kind: 'already-ended', atMs, result: outcome.result };
    case 'out-of-order':
      return { ...outcome, kind: 'journal-out-of-order', atMs };
  }
}

function request(number: number, { state }: Running): NumberedRequest {
  const workflowTime = new Date(Date.now()).toISOString();
  const { originId, requests } = state();
  return {
    ...{ originId, number, runId: workflowInfo().runId, workflowTime },
    lateMs: latenessMs(state(), Date.now()),
    returning: requests.deferredFromMs !== null,
  };
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
