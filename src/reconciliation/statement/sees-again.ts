import type { Break } from '../break';
import type { JournalEntry, StatementLook } from '../books';
import { ownLines } from './own-lines';

/** Many files tell days only: one that ends on the day of a booking may have been written before it. */
const DAY_MS = 86_400_000;

/**
 * Whether this statement would show a break again that another one has shown, so that not seeing it resolves it. A file
 * of another time or account says nothing; a booking that makes good what was wrong may come in the next file.
 */
export function seesAgain(
  look: StatementLook,
  entry: Pick<JournalEntry, 'from' | 'to' | 'openedAt'>,
  { subCase, evidence }: Pick<Break, 'subCase' | 'evidence'>,
): boolean {
  const lines = ownLines(entry, look.lines);
  const debits = lines.filter(({ direction }) => direction === 'debit').length;
  const returned = lines.length - debits;
  if (subCase === 'NOT_ON_STATEMENT') return look.covers || debits > 0;
  const isNowReturned = subCase === 'FAILED_BUT_DEBITED' || subCase === 'NOT_TAKEN_BUT_DEBITED';
  if (isNowReturned && returned > debits) return true;
  const { speaksOf } = look;
  if (speaksOf === null || evidence === null) return false;
  // All lines that the break may rest on: from the order to the last of them, whose day is over.
  const beginsBefore = Date.parse(speaksOf.from) <= Date.parse(entry.openedAt);
  return beginsBefore && Date.parse(evidence.at) + DAY_MS <= Date.parse(speaksOf.to);
}
