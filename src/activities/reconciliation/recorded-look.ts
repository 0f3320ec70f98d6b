import type { TransferSettings } from '../../domain/transfer/settings';
import type { BankLook, JournalEntry } from '../../reconciliation/books';
import type { LastRequest, RecordedAnswer, RunTransfer } from '../../reconciliation/port';
import { lookOf } from './look-of';

/** Beyond twice its cadence a run is not about to ask: creates that do not get through wait five minutes. */
const OVERDUE_SLACK_MS = 360_000;

type Cadences = Pick<TransferSettings, 'pollActiveMs' | 'pollDelayedMs' | 'attentionAfterActiveMs'>;
type Recorded = Pick<RunTransfer, 'recorded' | 'lastRequest' | 'openedAgoMs'>;

/**
 * The bank's side of a transfer that its own run asks about: the last answer the run recorded, of whatever age. One
 * that should have asked or sent long since is overdue: told, hinted, and compared all the same.
 */
export function recordedLook(
  { recorded, lastRequest, openedAgoMs }: Recorded,
  { sends, flags }: Pick<JournalEntry, 'sends' | 'flags'>,
  settings: Cadences,
  isSendingStopped: boolean,
): BankLook {
  // Nothing has to be asked about what the emergency brake holds back.
  const isHeldBack = sends === 0 && isSendingStopped;
  const quietMs = lastRequest?.agoMs ?? openedAgoMs;
  const overdue = !isHeldBack && quietMs > allowedMs(lastRequest, flags.length > 0, settings);
  if (recorded === null) return { kind: 'not-asked', reason: overdue ? 'OVERDUE' : 'NOTHING_RECORDED' };
  return { ...lookOf(recorded.answer, 'recorded', recorded.at), ...(overdue ? { overdue } : {}) };
}

/** Its first request may wait in a backlog for as long as an active transfer may stay open unflagged. */
function allowedMs(
  lastRequest: LastRequest | null,
  isFlagged: boolean,
  { pollActiveMs, pollDelayedMs, attentionAfterActiveMs }: Cadences,
): number {
  if (lastRequest === null) return attentionAfterActiveMs + OVERDUE_SLACK_MS;
  const isSlow = isFlagged || lastRequest.bankStatus === 'DELAYED';
  const gapMs = (isSlow ? pollDelayedMs : pollActiveMs) + (lastRequest.retryAfterMs ?? 0);
  return 2 * gapMs + OVERDUE_SLACK_MS;
}

/**
 * The cadence forbids a question now. What the very last request about the transfer heard stands for its answer; an
 * older one does not, because that request may have gone unanswered: then nobody knows what the bank says now.
 */
export const tooSoon = (recorded: RecordedAnswer | null): BankLook =>
  recorded?.isLast === true
    ? lookOf(recorded.answer, 'recorded', recorded.at)
    : { kind: 'not-asked', reason: 'TOO_SOON' };
