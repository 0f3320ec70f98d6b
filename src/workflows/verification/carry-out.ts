import { ActivityFailure, CancellationScope, CancelledFailure, workflowInfo } from '@temporalio/workflow';
import type { VerificationEvent } from '../../domain/verification/events';
import { nextVerificationStep } from '../../domain/verification/next-step';
import type { VerificationStep } from '../../domain/verification/next-step';
import type { VerificationResult, VerificationState } from '../../domain/verification/state';
import { flagsSummary } from '../markdown';
import type { RunClock } from '../run-clock';
import { invalidVerificationRequest } from '../failures';
import { askVerification, receiveVerification, recordVerificationFlags } from './proxies';

export interface RunningVerification {
  /** The argument as the caller wrote it. */
  readonly request: unknown;
  /** The state now. */
  readonly state: () => VerificationState;
  /** The state after a hint that has arrived and is not known yet (`RunClock`). */
  readonly coming: () => VerificationState;
  readonly clock: RunClock;
}

/** Executes a step and returns the resulting event; null when only time has passed. */
export async function carryOutVerification(
  step: Exclude<VerificationStep, { do: 'end' }>,
  running: RunningVerification,
): Promise<VerificationEvent | null> {
  const { requestId } = running.state();
  const event = await eventOf(step, running, requestId);
  if (event?.kind === 'already-ended') checkOwn(event.result, requestId);
  if (event?.kind === 'asked' && event.answer.kind === 'outcome') checkOwn(event.answer.result, requestId);
  return event;
}

/** Pauses the run if somebody has substituted another verification's outcome, as for transfers. */
function checkOwn(result: VerificationResult, requestId: string): void {
  if (result.requestId !== requestId)
    throw new Error(`a step of verification ${requestId} brought the outcome of ${result.requestId}`);
}

async function eventOf(
  step: Exclude<VerificationStep, { do: 'end' }>,
  running: RunningVerification,
  requestId: string,
): Promise<VerificationEvent | null> {
  const { clock } = running;
  switch (step.do) {
    case 'receive':
      return receive(running);
    case 'wait':
      await wait(step, running);
      return null;
    case 'ask':
      return ask(running);
    case 'record-flags':
      await atItsEnd(running, () =>
        recordVerificationFlags.executeWithOptions({ summary: flagsSummary(step.reasons) }, [
          { requestId, reasons: step.reasons },
        ]),
      );
      await clock.read();
      return { kind: 'flags-recorded', atMs: clock.nowMs(), reasons: step.reasons };
  }
}

/** Shields the last step of an ended verification from a cancel: the journal already has the outcome. */
function atItsEnd<T>({ state }: RunningVerification, act: () => Promise<T>): Promise<T> {
  return state().stage.name === 'ended' ? CancellationScope.nonCancellable(act) : act();
}

async function receive({ request, clock }: RunningVerification): Promise<VerificationEvent> {
  const received = await receiveVerification.executeWithOptions({ summary: 'into the journal' }, [
    { request, workflowId: workflowInfo().workflowId },
  ]);
  await clock.read();
  switch (received.kind) {
    case 'invalid':
      throw invalidVerificationRequest(received.issues);
    case 'ended':
      return { kind: 'already-ended', atMs: clock.nowMs(), result: received.result };
    case 'open':
      return { ...received, kind: 'received', atMs: clock.nowMs() };
  }
}

/** Sleeps until the next look-up is due, or a hint brings it forward. */
async function wait(
  step: Extract<VerificationStep, { do: 'wait' }>,
  { state, coming, clock }: RunningVerification,
): Promise<void> {
  const planned = JSON.stringify(step);
  // The run's clock does not advance during the wait.
  const sinceMs = clock.gapNowMs();
  await clock.sleepUntil(
    step.untilMs,
    `next look-up (${state().last?.status ?? 'no status yet'})`,
    () => JSON.stringify(nextVerificationStep(coming(), sinceMs)) !== planned,
  );
}

async function ask({ state, clock }: RunningVerification): Promise<VerificationEvent> {
  const startedAtMs = clock.nowMs();
  const { requestId, last, asking } = state();
  const known = last === null ? null : { status: last.status, meaning: last.meaning };
  const workflowTime = new Date(clock.requestMs()).toISOString();
  try {
    const asked = await askVerification.executeWithOptions({ summary: `look-up ${asking.polls + 1}` }, [
      { requestId, known, isUnsure: asking.isUnsure, workflowTime, returning: asking.isDeferred },
    ]);
    await clock.read();
    return asked.kind === 'deferred'
      ? { ...asked, atMs: clock.nowMs() }
      : { ...asked, atMs: clock.nowMs(), startedAtMs };
  } catch (error) {
    if (!(error instanceof ActivityFailure) || error.cause instanceof CancelledFailure) throw error;
    // The worker was lost, or the journal could not record a change: the next look-up asks again.
    await clock.read();
    const lost = { code: 'STEP_LOST', httpStatus: null, retryAfterMs: null } as const;
    const answer = { kind: 'no-answer', error: lost } as const;
    return { kind: 'asked', atMs: clock.nowMs(), startedAtMs, answer, settings: null };
  }
}
