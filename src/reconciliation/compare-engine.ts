import { isInFlight } from './books';
import type { BookedTransfer, CompareContext, JournalEntry } from './books';
import type { FoundBreak } from './break';
import { foundBreak } from './found-break';

/** An open transfer that no run drives. What the engine still knows of an ended one is of no concern. */
export function compareWithEngine(
  { run }: BookedTransfer,
  { originId, amount, result }: JournalEntry,
  { readAt }: CompareContext,
): FoundBreak[] {
  if (result !== null) return [];
  const lost = (subCase: 'RUN_MISSING' | 'RUN_STOPPED' | 'RUN_COMPLETED', how: string): FoundBreak[] => [
    foundBreak(subCase, { originId, tail: [`run ${how}`], amount, evidence: null, fact: [how] }),
  ];
  switch (run.kind) {
    case 'open':
    case 'unknown':
      return [];
    case 'missing':
      return lost('RUN_MISSING', 'missing');
    case 'closed':
      if (run.how !== 'completed') return lost('RUN_STOPPED', run.how);
      // It ended while the books were being read: the next reading of the journal has its result.
      if (run.closedAt !== null && isInFlight(run.closedAt, readAt)) return [];
      return lost('RUN_COMPLETED', run.how);
  }
}
