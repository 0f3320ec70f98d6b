import { endIssue } from '../domain/transfer/end-issue';
import type { WrittenEnd } from '../domain/transfer/end-issue';
import type { TransferActivityContext } from './context';
import type { JournalRefusal } from './journal-refusal';
import { refusalOfAcceptedEnd } from './signed-decisions';

/**
 * Why an end must not be recorded; null: it may. The run's history is not trusted: an end by the bank is recomputed
 * from the answers in the journal. For an end by operators, the journal's records must show its reason and ids; with
 * `DECIDERS_FILE`, the signatures of the two decisions are verified too. If the transfer has ended, only the signatures
 * are verified, because the journal keeps its first result.
 */
export async function refusalOfEnd(
  context: Pick<TransferActivityContext, 'journal' | 'observer' | 'decisionSigners'>,
  end: WrittenEnd,
): Promise<JournalRefusal | null> {
  const { originId, status, decidedBy } = end.result;
  const basis = await context.journal.endBasis(originId);
  const says = basis === null ? null : endIssue(end, basis);
  if (says === null) return refusalOfAcceptedEnd(context, end.result);
  context.observer?.endRefused?.({ originId, status, decidedBy, reason: says });
  return { reason: `result ${status} of transfer ${originId} refused: ${says}`, code: 'GR002' };
}
