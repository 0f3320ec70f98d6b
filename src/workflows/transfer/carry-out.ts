import { condition, workflowInfo } from '@temporalio/workflow';
import type { JournalRefusal } from '../../activities/journal-refusal';
import type {
  NumberedCreate,
  NumberedRequest,
  RequestAnswered,
  RequestOutcome,
} from '../../activities/numbered-request';
import type { EndRecorded } from '../../activities/record-transfer';
import type { StartFacts } from '../../activities/start-options';
import type { Ended } from '../../activities/timed';
import type { WithdrawTransferInput, WithdrawalOutcome } from '../../activities/withdraw-transfer';
import { apply } from '../../domain/transfer/apply';
import type { CreateAnswer } from '../../domain/transfer/answers';
import type { DecisionRecord } from '../../domain/transfer/decisions/decision';
import { endAfterLookup } from '../../domain/transfer/end-after-lookup';
import type { CreateEnded, JournalRefused, LookupEnded, TransferEvent } from '../../domain/transfer/events';
import { mayWithdraw, nextStep } from '../../domain/transfer/next-step';
import type { Step } from '../../domain/transfer/next-step';
import { latenessMs } from '../../domain/transfer/lateness';
import type { TransferState } from '../../domain/transfer/state';
import type { KnownRequests } from '../../domain/transfer/records';
import { invalidTransferOrder, originIdConflict } from '../failures';
import { flagsSummary } from '../markdown';
import type { RunClock } from '../run-clock';
import { lateAnswer } from './late-answer';
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
  /** The state now. */
  readonly state: () => TransferState;
  /** The state after the messages that have arrived and are not known yet (`RunClock`). */
  readonly coming: () => TransferState;
  /** Whether a decision of an operator waits to be taken up. */
  readonly isWaiting: () => boolean;
  /** Notes whether a create is in flight; the results of steps report it (`Seen`). */
  readonly setSending: (isSending: boolean) => void;
  readonly clock: RunClock;
}

/** Time for the claim before the call and the record after the call, each with the journal's time-out. */
const CREATE_MARGIN_MS = 30_000;

/**
 * Executes a step and returns the resulting event or events; null when only time has passed. This function is not
 * `async`, and the functions below make few promises: each promise of a workflow costs processor time, and memory while
 * it waits.
 */
export function carryOut(
  step: Exclude<Step, { do: 'end' }>,
  running: Running,
): Promise<TransferEvent | readonly TransferEvent[] | null> {
  switch (step.do) {
    case 'receive':
      return receive(running);
    case 'wait':
      return wait(step, running);
    case 'await-decision':
      return awaitDecision(step, running);
    case 'create':
      return create(step.number, running);
    case 'lookup':
      return lookUp(step.number, running);
    case 'withdraw':
      return withdrawBeforeSend(step.number, running);
    case 'record-flags':
      return noteFlags(step, running);
    case 'record-decision':
      return noteDecision(step, running);
    case 'record-result':
      return noteResult(step, running);
    case 'record-annulment':
      return annul(step, running);
  }
}

type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>;

async function withdrawBeforeSend(number: number, running: Running): Promise<TransferEvent> {
  return withdrawalEvent(await withdraw(number, running, triedBefore(running)), number, running.clock);
}

async function noteFlags(step: StepOf<'record-flags'>, { state, clock }: Running): Promise<TransferEvent> {
  const { reasons, conflict } = step;
  const { refusal } = await clock.resultOf(
    recordFlags.executeWithOptions({ summary: flagsSummary(reasons) }, [
      { originId: state().originId, reasons, conflict },
      clock.seen(),
    ]),
  );
  return refusal === null
    ? { kind: 'flags-recorded', atMs: clock.nowMs(), reasons }
    : refused('record-flags', refusal, clock);
}

async function noteDecision(
  { record }: StepOf<'record-decision'>,
  { state, clock }: Running,
): Promise<TransferEvent> {
  const { recorded, refusal, why, rule } = await clock.resultOf(
    recordDecision.executeWithOptions({ summary: `${record.outcome} ${record.action ?? 'proposals'}` }, [
      { originId: state().originId, record },
      clock.seen(),
    ]),
  );
  if (refusal !== null) return refused('record-decision', refusal, clock);
  return recorded
    ? { kind: 'decision-recorded', atMs: clock.nowMs(), id: record.id }
    : {
        ...{ kind: 'decision-not-recorded', atMs: clock.nowMs() },
        ...(why === undefined ? {} : { why }),
        ...(rule === undefined ? {} : { rule }),
      };
}

async function noteResult({ result }: StepOf<'record-result'>, { clock }: Running): Promise<TransferEvent> {
  return endEvent(
    await clock.resultOf(recordResult.executeWithOptions({ summary: result.status }, [result, clock.seen()])),
    clock,
  );
}

async function annul(step: StepOf<'record-annulment'>, { clock }: Running): Promise<TransferEvent> {
  const { result, evidenceNumber, operators } = step;
  const recorded = await recordAnnulment.executeWithOptions({ summary: 'annulment of a FAILED transfer' }, [
    { result, evidenceNumber, operators },
  ]);
  // After any other outcome the transfer has ended, and nothing is due.
  if (recorded.kind === 'refused' || recorded.conflict) await clock.read();
  return endEvent(recorded, clock);
}

/**
 * Throws, which pauses the run, if somebody has substituted another transfer's recorded result: payloads are sealed for
 * a namespace, not for a run.
 */
export function checkOwn(event: TransferEvent, originId: number): void {
  if (event.kind !== 'already-ended' && event.kind !== 'result-recorded') return;
  const { result } = event;
  if (result.originId !== originId)
    throw new Error(`a step of transfer ${originId} brought the result of transfer ${result.originId}`);
}

async function receive({ order, state, clock }: Running): Promise<TransferEvent> {
  const received = await clock.resultBeforeGap(
    receiveTransfer.executeWithOptions({ summary: 'the order, into the journal' }, [
      { order, start: startFacts(), ...knownOf(state()) },
      clock.seen(),
    ]),
    // The gap after the last request of a lost run begins here.
    (outcome) => outcome.kind === 'open' && outcome.facts !== null,
  );
  switch (received.kind) {
    case 'invalid':
      throw invalidTransferOrder(received.issues);
    case 'conflict':
      throw originIdConflict(state().originId);
    case 'ended':
      return { kind: 'already-ended', atMs: clock.nowMs(), result: received.result };
    case 'refused':
      return refused('receive', received.refusal, clock);
    case 'open': {
      const { orderSha256, amountValue, settings, facts, journalId } = received;
      return {
        ...{ kind: 'received', atMs: clock.nowMs() },
        ...{ orderSha256, amountValue, settings, facts, journalId },
      };
    }
  }
}

const endEvent = (recorded: EndRecorded, clock: RunClock): TransferEvent =>
  recorded.kind === 'refused'
    ? refused('record-result', recorded.refusal, clock)
    : {
        ...{ kind: 'result-recorded', atMs: clock.nowMs() },
        ...{ result: recorded.result, conflict: recorded.conflict },
      };

const refused = (
  step: JournalRefused['step'],
  { reason, code }: JournalRefusal,
  clock: RunClock,
  madeNumber: number | null = null,
): JournalRefused => ({ kind: 'journal-refused', atMs: clock.nowMs(), step, reason, code, madeNumber });

/** The requests that the run made or may have made, and its unrecorded decisions: a restored journal may lack them. */
function knownOf({ requests: { lastNumber }, sends, journalId, decisions }: TransferState): {
  known?: KnownRequests;
  unwritten?: readonly DecisionRecord[];
} {
  const unwritten = decisions.unrecorded.length === 0 ? {} : { unwritten: decisions.unrecorded };
  const tried = sends.isTried === true && journalId !== null ? { number: lastNumber + 1, journalId } : null;
  if (lastNumber === 0 && sends.count === 0 && tried === null) return unwritten;
  return { known: { lastNumber, sends: sends.count, tried }, ...unwritten };
}

/** Sleeps until the step is due, or a message changes what is due. */
async function wait(step: StepOf<'wait'>, running: Running): Promise<null> {
  const { state, clock } = running;
  const status = state().bank.status ?? 'no status yet';
  const summaries = {
    create: state().sends.heldBack === null ? 'next try to send' : 'sending is stopped; next try',
    lookup: `next look-up (${status})`,
    receive: 'next try to write the order down',
  };
  const summary = summaries[step.before];
  await clock.sleepUntil(step.untilMs, summary, isOverruled(step, running));
  return null;
}

async function awaitDecision(step: StepOf<'await-decision'>, running: Running): Promise<TransferEvent> {
  const { clock } = running;
  await (step.ageAtMs === null
    ? clock.waitFor(isOverruled(step, running))
    : clock.sleepUntil(step.ageAtMs, 'open for too long', isOverruled(step, running)));
  return { kind: 'time-passed', atMs: clock.nowMs() };
}

/** Whether arrived messages change the plan. The run's clock does not advance during the wait. */
function isOverruled(planned: Step, { state, coming, isWaiting, clock }: Running): () => boolean {
  const sinceMs = clock.gapNowMs();
  const plan = JSON.stringify(planned);
  return () =>
    isWaiting() ||
    JSON.stringify(nextStep(coming(), sinceMs)) !== plan ||
    coming().cancelRequestedAtMs !== state().cancelRequestedAtMs;
}

/**
 * Sends the order. A cancel may arrive while the activity waits for a worker: then create and withdrawal both claim
 * this number, and the journal gives it to one of them. If the withdrawal gets the number, no create can leave; the run
 * does not wait for the activity, which finds the number taken. The history does not show whether the end of the create
 * or the cancel came first; the clock reading after them does.
 *
 * After most creates no reading is necessary (`endWithoutReading`), which saves an event for each transfer.
 */
async function create(number: number, running: Running): Promise<TransferEvent> {
  const { state, clock, setSending } = running;
  const startedAtMs = clock.nowMs();
  const send = { isOver: false };
  const sending = createTransfer.executeWithOptions(
    {
      summary: `create, request ${number}`,
      startToCloseTimeout: state().settings.createTimeoutMs + CREATE_MARGIN_MS,
    },
    [createRequest(number, running)],
  );
  const over = (): void => {
    send.isOver = true;
    setSending(false);
  };
  setSending(true);
  sending.then(over, over);
  await condition(() => send.isOver || mayWithdraw(running.coming()));
  if (mayWithdraw(running.coming())) {
    const { isSending } = await clock.read();
    if (isSending === true) {
      const withdrawal = await withdraw(number, running, {
        besideCreate: { journalId: journalIdOf(running) },
      });
      if (withdrawal.kind === 'granted') return withdrawalEvent(withdrawal, number, clock);
      await sending.catch(() => null);
      await clock.read();
    }
    clock.beginGap();
    return createEnd(await sending, { number, startedAtMs }, clock);
  }
  const endMs = await sending.then(
    (outcome) => endWithoutReading(outcome, state()),
    () => null,
  );
  if (endMs === null) {
    await clock.read();
    clock.beginGap();
  } else clock.beginGapAt(endMs);
  return createEnd(await sending, { number, startedAtMs }, clock);
}

/**
 * The end of a create after which no clock reading is needed; null: a reading is needed. None is needed if the worker
 * reported the end, the bank answered with a movement, and the next step is a wait. A message that changes the plan
 * during this wait causes a reading; the next look-up reports all other messages.
 */
function endWithoutReading(
  { endedAtMs, ...outcome }: Ended<RequestOutcome<CreateAnswer>>,
  before: TransferState,
): number | null {
  if (endedAtMs === undefined || outcome.kind !== 'answer' || outcome.answer.kind !== 'answered') return null;
  const number = before.requests.lastNumber + 1;
  const event = created(outcome, { number, startedAtMs: endedAtMs, atMs: endedAtMs });
  return nextStep(apply(before, event), endedAtMs).do === 'wait' ? endedAtMs : null;
}

function createEnd(
  outcome: RequestOutcome<CreateAnswer>,
  { number, startedAtMs }: { readonly number: number; readonly startedAtMs: number },
  clock: RunClock,
): TransferEvent {
  return outcome.kind === 'answer'
    ? created(outcome, { number, startedAtMs, atMs: clock.nowMs() })
    : interruption(outcome, { number, startedAtMs, step: 'create' }, clock);
}

const created = (
  outcome: RequestAnswered<CreateAnswer>,
  when: Pick<CreateEnded, 'number' | 'startedAtMs' | 'atMs'>,
): CreateEnded => ({ claimAgeMs: 0, ...outcome, ...when, kind: 'create-ended' });

const createRequest = (number: number, running: Running): NumberedCreate => ({
  ...request(number, running),
  journalId: journalIdOf(running),
  isRetry: running.state().sends.isTried === true,
});

/** If a create was tried for this number, the create may have left, and the journal may have lost its claim. */
const triedBefore = (running: Running): Pick<WithdrawTransferInput, 'besideCreate'> =>
  running.state().sends.isTried === true ? { besideCreate: { journalId: journalIdOf(running) } } : {};

/** Never null for a create: the order is received first. */
function journalIdOf({ state }: Running): string {
  const { journalId } = state();
  if (journalId === null) throw new Error('a create needs an order that the journal has');
  return journalId;
}

/**
 * Two events if the step has recorded the end too. The run takes over the recorded end only if its own state also ends
 * after this answer, because somebody may have substituted the result of another step. `checkOwn` compares the
 * originId.
 */
async function lookUp(number: number, running: Running): Promise<readonly TransferEvent[]> {
  const { state, clock } = running;
  const before = { state: state(), startedAtMs: clock.nowMs() };
  const { startedAtMs } = before;
  const outcome = await clock.resultBeforeGap(
    lookUpMovement.executeWithOptions({ summary: `look-up, request ${number}` }, [
      { ...request(number, running), ...unansweredOf(before.state), before },
      clock.seen(),
    ]),
  );
  if (outcome.kind !== 'answer')
    return [interruption(outcome, { number, startedAtMs, step: 'lookup' }, clock)];
  const { end, settings = before.state.settings, ...answered } = outcome;
  const lookup: LookupEnded = {
    ...{ ...answered, settings, kind: 'lookup-ended', atMs: clock.nowMs(), startedAtMs, number },
  };
  return end === undefined || endAfterLookup(state(), lookup) === null
    ? [lookup]
    : [lookup, endEvent(end, clock)];
}

const unansweredOf = ({ requests: { isUnanswered, lastNumber } }: TransferState) =>
  isUnanswered === true ? { unanswered: lastNumber } : {};

function withdraw(
  number: number,
  { state, clock }: Running,
  beside: Pick<WithdrawTransferInput, 'besideCreate'> = {},
): Promise<WithdrawalOutcome> {
  const withdrawal = { originId: state().originId, number, runId: workflowInfo().runId, ...beside };
  return clock.resultOf(
    withdrawTransfer.executeWithOptions({ summary: `withdrawal in place of request ${number}` }, [
      withdrawal,
      clock.seen(),
    ]),
  );
}

function withdrawalEvent(outcome: WithdrawalOutcome, number: number, clock: RunClock): TransferEvent {
  switch (outcome.kind) {
    case 'granted':
      return { kind: 'withdrawal-granted', atMs: clock.nowMs(), number };
    case 'too-late':
      return { kind: 'withdrawal-too-late', atMs: clock.nowMs() };
    case 'in-doubt':
    case 'ended':
    case 'out-of-order':
    case 'refused':
      return interruption(outcome, { number, startedAtMs: clock.nowMs(), step: 'withdraw' }, clock);
  }
}

/**
 * The event of a step without an answer to its own request: the request must wait, the journal did not give the number,
 * or the journal refused the answer of a request that was made (`isMade`).
 */
function interruption(
  outcome: Exclude<RequestOutcome<never>, { kind: 'answer' }>,
  { number, startedAtMs, step }: { number: number; startedAtMs: number; step: JournalRefused['step'] },
  clock: RunClock,
): TransferEvent {
  const atMs = clock.nowMs();
  switch (outcome.kind) {
    case 'deferred':
      return { kind: 'request-deferred', atMs, afterMs: outcome.afterMs, isRetry: outcome.isRetry === true };
    case 'answered-late':
      return lateAnswer(outcome, { atMs, startedAtMs });
    case 'withdrawn':
      return { kind: 'withdrawal-granted', atMs, number };
    case 'held-back':
      return { ...outcome, isRetry: outcome.isRetry === true, atMs, startedAtMs };
    case 'repeat-denied':
      return { ...outcome, atMs };
    case 'ended':
      return { kind: 'already-ended', atMs, result: outcome.result };
    case 'out-of-order':
      return { ...outcome, kind: 'journal-out-of-order', atMs };
    case 'in-doubt':
      return { kind: 'create-in-doubt', atMs };
    case 'refused':
      return refused(step, outcome.refusal, clock, outcome.isMade === true ? number : null);
  }
}

function request(number: number, { state, clock }: Running): NumberedRequest {
  const { originId, requests } = state();
  return {
    ...{ originId, number, runId: workflowInfo().runId },
    workflowTime: new Date(clock.requestMs()).toISOString(),
    lateMs: latenessMs(state(), clock.engineMs()),
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
