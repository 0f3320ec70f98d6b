import { sleep } from '@temporalio/activity';
import { observeLookup } from '../../bank/movements/lookup-answer';
import type { TransferOrder } from '../../domain/order';
import type { BankLook, NotAskedReason, RunState } from '../../reconciliation/books';
import type { RunTransfer } from '../../reconciliation/port';
import { reconciliationWorkflowId } from '../../reconciliation/run-window';
import { answerDigest } from '../answer-digest';
import { askAboutFinal } from '../check-final';
import { inTime } from '../numbered-request';
import type { Asker } from './asker';
import type { ReconciliationContext } from './context';
import { lookOf } from './look-of';
import { orNotRecorded } from './or-not-recorded';
import { recordedLook, tooSoon } from './recorded-look';

/** A gap that ends so soon is waited for; another one would hold the step up. */
const WAIT_MAX_MS = 8_000;
const TRIES_MAX = 3;

const notAsked = (reason: NotAskedReason): BankLook => ({ kind: 'not-asked', reason });

export interface Looking {
  readonly asker: Asker;
  readonly asOf: string;
  /** The emergency brake. */
  readonly isSendingStopped: boolean;
}

/** The bank's side of a transfer: asked where nobody else asks, else as its own run recorded it last. */
export async function bankLook(
  context: ReconciliationContext,
  { asker, asOf, isSendingStopped }: Looking,
  transfer: RunTransfer,
  run: RunState,
): Promise<BankLook> {
  const { entry, order, askedInRun } = transfer;
  if (entry === null || order === null) return notAsked('NOTHING_RECORDED');
  if (entry.result === null && (run.kind === 'open' || run.kind === 'unknown')) {
    return recordedLook(transfer, entry, context.settings, isSendingStopped);
  }
  // Where no create can have left there is nothing to ask, and no number to claim for it.
  if (entry.result === null && !transfer.mayBeAtBank) return notAsked('NOTHING_RECORDED');
  if (askedInRun !== null) return lookOf(askedInRun.answer, 'asked', askedInRun.at);
  const look = await orNotRecorded(() =>
    entry.result === null
      ? askAboutLost(context, asker, transfer, order, asOf)
      : askAboutEnded(context, asker, transfer),
  );
  return look === 'too-soon' ? heardLast(context, asOf, transfer.originId) : look;
}

/** Somebody has asked a moment ago, perhaps since the page was read: what the journal holds of it now. */
async function heardLast(
  { journal }: ReconciliationContext,
  asOf: string,
  originId: number,
): Promise<BankLook> {
  const [now] = await journal.runPage({ asOf, after: originId - 1, limit: 1 });
  const asked = now?.askedInRun ?? null;
  return asked === null ? tooSoon(now?.recorded ?? null) : lookOf(asked.answer, 'asked', asked.at);
}

/** Claimed and recorded as every question about a final; a contradiction is an incident too. */
async function askAboutEnded(
  { bank, journal, settings }: ReconciliationContext,
  asker: Asker,
  { originId }: RunTransfer,
): Promise<BankLook | 'too-soon'> {
  for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
    const asked = await asker.ask(async (told) => {
      const check = await askAboutFinal(
        { bank, journal, settings },
        { originId, askedBy: 'reconciliation', asker: 'reconciliation' },
      );
      if (check.kind === 'asked') told(check.reply);
      return check;
    });
    if (asked.kind === 'not-asked') return asked;
    const { said } = asked;
    if (said.kind === 'asked') return lookOf(said.answer, 'asked', new Date().toISOString());
    if (said.kind === 'not-ended' || said.waitMs > WAIT_MAX_MS) break;
    await sleep(said.waitMs);
  }
  return 'too-soon';
}

/** As the next numbered request of the transfer, so that the run which is started again goes on behind it. */
async function askAboutLost(
  { bank, journal, settings }: ReconciliationContext,
  asker: Asker,
  { originId, lastRequest }: RunTransfer,
  order: TransferOrder,
  asOf: string,
): Promise<BankLook | 'too-soon'> {
  if (lastRequest !== null) {
    const gapMs = lastRequest.bankStatus === 'DELAYED' ? settings.pollDelayedMs : settings.pollActiveMs;
    const callMs = Math.max(settings.createTimeoutMs, settings.lookupTimeoutMs);
    const neededMs = Math.max(gapMs, lastRequest.retryAfterMs ?? 0) + (lastRequest.answered ? 0 : callMs);
    const waitMs = neededMs - lastRequest.agoMs;
    if (waitMs > WAIT_MAX_MS) return 'too-soon';
    if (waitMs > 0) await sleep(waitMs);
  }
  const number = (lastRequest?.number ?? 0) + 1;
  const runId = reconciliationWorkflowId(asOf);
  const asked = await asker.ask(async (told) => {
    const claim = inTime(await journal.claimRequest({ originId, number, kind: 'lookup', runId }));
    if (claim.kind !== 'claimed') return null;
    const reply = await bank.getMovement({ originId: String(originId) }, { workflowTime: null });
    told(reply);
    const { answer, differing } = observeLookup(order, reply);
    await journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer), differing });
    return answer;
  });
  if (asked.kind === 'not-asked') return asked;
  // Somebody else has just asked or ended it: its run is back.
  return asked.said === null ? 'too-soon' : lookOf(asked.said, 'asked', new Date().toISOString());
}
