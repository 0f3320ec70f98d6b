import { sleep } from '@temporalio/activity';
import { seeMovement } from '../../bank/movements/see-movement';
import type { TransferOrder } from '../../domain/order';
import type { LookupAnswer } from '../../domain/transfer/answers';
import type { BankLook, JournalEntry, NotAskedReason, RunState } from '../../reconciliation/books';
import type { RecordedAnswer, RunTransfer } from '../../reconciliation/port';
import { reconciliationWorkflowId } from '../../reconciliation/run-window';
import { answerDigest } from '../answer-digest';
import { askAboutFinal } from '../check-final';
import type { Asker } from './asker';
import type { ReconciliationContext } from './context';

/** A gap that ends so soon is waited for; another one would hold the step up. */
const WAIT_MAX_MS = 8_000;
const TRIES_MAX = 3;
/** Beyond twice its cadence a run is not about to ask: creates that do not get through wait five minutes. */
const OVERDUE_SLACK_MS = 360_000;

const notAsked = (reason: NotAskedReason): BankLook => ({ kind: 'not-asked', reason });

/** The bank's side of a transfer: asked where nobody else asks, else as its own run recorded it last. */
export async function bankLook(
  context: ReconciliationContext,
  asker: Asker,
  transfer: RunTransfer,
  run: RunState,
  asOf: string,
): Promise<BankLook> {
  const { entry, order, askedInRun } = transfer;
  if (entry === null || order === null) return notAsked('NOTHING_RECORDED');
  if (entry.result === null && (run.kind === 'open' || run.kind === 'unknown')) {
    return recordedLook(transfer, entry, context.settings);
  }
  if (askedInRun !== null) return lookOf(askedInRun.answer, 'asked', askedInRun.at);
  return entry.result === null
    ? askAboutLost(context, asker, transfer, order, asOf)
    : askAboutEnded(context, asker, transfer);
}

function recordedLook(
  { recorded, lastRequest }: RunTransfer,
  { sends, flags }: JournalEntry,
  { pollActiveMs, pollDelayedMs }: ReconciliationContext['settings'],
): BankLook {
  const isSlow = flags.length > 0 || lastRequest?.bankStatus === 'DELAYED';
  const gapMs = (isSlow ? pollDelayedMs : pollActiveMs) + (lastRequest?.retryAfterMs ?? 0);
  const isOverdue = sends > 0 && lastRequest !== null && lastRequest.agoMs > 2 * gapMs + OVERDUE_SLACK_MS;
  if (isOverdue) return notAsked('OVERDUE');
  return recorded === null ? notAsked('NOTHING_RECORDED') : lookOf(recorded.answer, 'recorded', recorded.at);
}

/** What was heard a moment ago stands for an answer that the cadence forbids to ask for. */
const tooSoon = (recorded: RecordedAnswer | null): BankLook =>
  recorded === null ? notAsked('TOO_SOON') : lookOf(recorded.answer, 'recorded', recorded.at);

/** Claimed and recorded as every question about a final; a contradiction is an incident too. */
async function askAboutEnded(
  { bank, journal, settings }: ReconciliationContext,
  asker: Asker,
  { originId, recorded }: RunTransfer,
): Promise<BankLook> {
  for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
    const asked = await asker.ask(async (told) => {
      const check = await askAboutFinal(
        { bank, journal, settings },
        { originId, askedBy: 'reconciliation', asker: 'reconciliation' },
      );
      if (check.kind === 'asked') told(check.reply);
      return check;
    });
    if (asked === 'bank-away') return notAsked('BANK_UNREACHABLE');
    if (asked.kind === 'asked') return lookOf(asked.answer, 'asked', new Date().toISOString());
    if (asked.kind === 'not-ended' || asked.waitMs > WAIT_MAX_MS) break;
    await sleep(asked.waitMs);
  }
  return tooSoon(recorded);
}

/** As the next numbered request of the transfer, so that the run which is started again goes on behind it. */
async function askAboutLost(
  { bank, journal, settings }: ReconciliationContext,
  asker: Asker,
  { originId, recorded, lastRequest }: RunTransfer,
  order: TransferOrder,
  asOf: string,
): Promise<BankLook> {
  if (lastRequest !== null) {
    const gapMs = lastRequest.bankStatus === 'DELAYED' ? settings.pollDelayedMs : settings.pollActiveMs;
    const callMs = Math.max(settings.createTimeoutMs, settings.lookupTimeoutMs);
    const neededMs = Math.max(gapMs, lastRequest.retryAfterMs ?? 0) + (lastRequest.answered ? 0 : callMs);
    const waitMs = neededMs - lastRequest.agoMs;
    if (waitMs > WAIT_MAX_MS) return tooSoon(recorded);
    if (waitMs > 0) await sleep(waitMs);
  }
  const number = (lastRequest?.number ?? 0) + 1;
  const runId = reconciliationWorkflowId(asOf);
  const asked = await asker.ask(async (told) => {
    const claim = await journal.claimRequest({ originId, number, kind: 'lookup', runId });
    if (claim.kind !== 'claimed') return null;
    const reply = await bank.getMovement({ originId: String(originId) }, { workflowTime: null });
    told(reply);
    const answer: LookupAnswer =
      reply.kind === 'movement'
        ? {
            kind: 'movement',
            movement: seeMovement(order, reply),
            retryAfterMs: reply.retryAfterMs ?? null,
          }
        : reply;
    await journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer) });
    return answer;
  });
  if (asked === 'bank-away') return notAsked('BANK_UNREACHABLE');
  // Somebody else has just asked or ended it: its run is back.
  return asked === null ? tooSoon(recorded) : lookOf(asked, 'asked', new Date().toISOString());
}

export function lookOf(answer: LookupAnswer, source: 'asked' | 'recorded', at: string): BankLook {
  switch (answer.kind) {
    case 'movement':
      return { kind: 'movement', movement: answer.movement, source, at };
    case 'not-found':
      return { kind: 'not-found', source, at };
    case 'no-answer':
      return { kind: 'no-answer', code: answer.error.code, httpStatus: answer.error.httpStatus, at };
  }
}
