import { endIssue } from '../domain/transfer/end-issue';
import type { WrittenEnd } from '../domain/transfer/end-issue';
import type { TransferActivityContext } from './context';
import type { JournalRefusal } from './journal-refusal';
import { refusalOfAcceptedEnd } from './signed-decisions';

/**
 * Why an end must not be written; null: it may. The requesting history is not trusted: the bank's end is recomputed
 * from the answers in the journal, and the operators' end from their signatures. A transfer that has ended keeps its
 * end.
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
