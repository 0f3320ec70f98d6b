import { sleep } from '@temporalio/activity';
import type { LookupAnswer } from '../../domain/transfer/answers';
import { CLAIM_ANSWER_MS } from '../../domain/transfer/cadence';
import { isHolding } from '../../domain/transfer/flags';
import type { TransferSettings } from '../../domain/transfer/settings';
import type { BankObservation, JournalEntry, NotAskedReason, RunState } from '../../reconciliation/books';
import type { LastRequest, RecordedAnswer, RunTransfer } from '../../journal/statements/run-transfers';
import { reconciliationWorkflowId } from '../../reconciliation/run-window';
import { inquire } from '../inquire';
import type { Inquired } from '../inquire';
import { orRefused } from '../journal-refusal';
import type { ReconciliationContext } from './context';
import type { InquiryThrottle } from './inquiry-throttle';

/** Longest gap that a step waits for; longer gaps would delay it too much. */
const WAIT_MAX_MS = 8_000 + CLAIM_ANSWER_MS;
const TRIES_MAX = 3;

const notAsked = (reason: NotAskedReason): BankObservation => ({ kind: 'not-asked', reason });

export interface ObservationContext {
  readonly throttle: InquiryThrottle;
  readonly asOf: string;
  /** The emergency brake. */
  readonly isSendingStopped: boolean;
}

/**
 * The bank's side of a transfer: asks the bank if no run does, otherwise uses the last answer that the run recorded.
 */
export async function observeBank(
  context: ReconciliationContext,
  { throttle, asOf, isSendingStopped }: ObservationContext,
  transfer: RunTransfer,
  run: RunState,
): Promise<BankObservation> {
  const { originId, entry, order, askedInRun } = transfer;
  if (entry === null || order === null) return notAsked('NOTHING_RECORDED');
  if (entry.result === null && (run.kind === 'open' || run.kind === 'unknown')) {
    return recordedObservation(transfer, entry, context.settings, isSendingStopped);
  }
  // If no create can have left, the bank is not asked, and no number is claimed.
  if (entry.result === null && !transfer.mayBeAtBank) return notAsked('NOTHING_RECORDED');
  if (askedInRun !== null) return observationOf(askedInRun.answer, 'asked', askedInRun.at);
  const lostAfter = entry.result === null ? (transfer.lastRequest?.number ?? 0) : null;
  const observation = await askBank(context, throttle, { originId, asOf, lostAfter });
  if (observation !== 'too-soon') return observation;
  // Another request was just made, perhaps after the page was read, so read the journal again.
  const [now] = await context.journal.runPage({ asOf, after: originId - 1, limit: 1 });
  return tooSoon(now?.recorded ?? null);
}

/**
 * Asks about an originId that no run asks about, and waits for a gap that ends soon. `lostAfter`: see `InquiryClaim`.
 */
export async function askBank(
  context: ReconciliationContext,
  throttle: InquiryThrottle,
  question: { readonly originId: number; readonly asOf: string; readonly lostAfter: number | null },
): Promise<BankObservation | 'too-soon'> {
  const inquiry = { ...question, askedBy: reconciliationWorkflowId(question.asOf) };
  for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
    const asked = await orRefused(() => throttle.ask<Inquired>((call) => inquire(context, inquiry, call)));
    // If the journal refuses a row about one transfer, the reconciliation of the others continues.
    if (asked.kind === 'refused') return { kind: 'not-recorded', refusal: asked.refusal.reason };
    if (asked.kind === 'not-asked') return asked;
    const { result: said } = asked;
    switch (said.kind) {
      case 'asked':
        return observationOf(said.answer, 'asked', new Date().toISOString());
      case 'answered':
        return observationOf(said.answer, 'asked', said.at);
      case 'open':
        return 'too-soon';
      case 'too-soon':
        if (said.waitMs > WAIT_MAX_MS) return 'too-soon';
        await sleep(said.waitMs);
    }
  }
  return 'too-soon';
}

/** The bank's side of a transfer from an answer; `at`: when the answer was received, ISO UTC. */
export function observationOf(
  answer: LookupAnswer,
  source: 'asked' | 'recorded',
  at: string,
): Exclude<BankObservation, { kind: 'not-asked' | 'not-recorded' }> {
  switch (answer.kind) {
    case 'movement':
      return { kind: 'movement', movement: answer.movement, source, at };
    case 'not-found':
      return { kind: 'not-found', source, at };
    case 'no-answer':
      return { kind: 'no-answer', code: answer.error.code, httpStatus: answer.error.httpStatus, at };
  }
}

/**
 * Time beyond twice the cadence before a run counts as overdue. Creates that do not reach the bank wait up to five
 * minutes.
 */
const OVERDUE_SLACK_MS = 360_000;

type Cadences = Pick<TransferSettings, 'pollActiveMs' | 'pollDelayedMs' | 'attentionAfterActiveMs'>;
type Recorded = Pick<RunTransfer, 'recorded' | 'lastRequest' | 'openedAgoMs'>;

/**
 * The bank's side of a transfer with a run: the last answer that the run recorded, of any age. If the run should have
 * asked or sent long ago, it is overdue: the transfer is reported, the run is hinted, and the old answer is still
 * compared.
 */
export function recordedObservation(
  { recorded, lastRequest, openedAgoMs }: Recorded,
  { sends, flags }: Pick<JournalEntry, 'sends' | 'flags'>,
  settings: Cadences,
  isSendingStopped: boolean,
): BankObservation {
  // The bank need not be asked about a transfer that the emergency brake holds back.
  const isHeldBack = sends === 0 && isSendingStopped;
  const quietMs = lastRequest?.agoMs ?? openedAgoMs;
  const isHeld = flags.some(({ reason }) => isHolding(reason));
  const overdue = !isHeldBack && quietMs > allowedMs(lastRequest, isHeld, settings);
  if (recorded === null) return { kind: 'not-asked', reason: overdue ? 'OVERDUE' : 'NOTHING_RECORDED' };
  return { ...observationOf(recorded.answer, 'recorded', recorded.at), ...(overdue ? { overdue } : {}) };
}

/** The first request may wait in a backlog for as long as an active transfer may stay open without a flag. */
function allowedMs(
  lastRequest: LastRequest | null,
  isHeld: boolean,
  { pollActiveMs, pollDelayedMs, attentionAfterActiveMs }: Cadences,
): number {
  if (lastRequest === null) return attentionAfterActiveMs + OVERDUE_SLACK_MS;
  const isSlow = isHeld || lastRequest.bankStatus === 'DELAYED';
  const gapMs = (isSlow ? pollDelayedMs : pollActiveMs) + (lastRequest.retryAfterMs ?? 0);
  return 2 * gapMs + OVERDUE_SLACK_MS;
}

/**
 * The cadence forbids an inquiry now, so the answer to the last request about the transfer counts. An older answer does
 * not count: if the last request had no answer, the bank's current state is unknown.
 */
export const tooSoon = (recorded: RecordedAnswer | null): BankObservation =>
  recorded?.isLast === true
    ? observationOf(recorded.answer, 'recorded', recorded.at)
    : { kind: 'not-asked', reason: 'TOO_SOON' };
