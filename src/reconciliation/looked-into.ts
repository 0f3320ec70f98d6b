import type { Book, BookedTransfer } from './books';
import type { Break } from './break';
import { seesAgain } from './statement/sees-again';

/** The books that a run has looked into for this transfer: only there can it resolve what an earlier run saw. */
export function lookedInto(
  { entry, bank, run, statement }: BookedTransfer,
  known: Pick<Break, 'subCase' | 'evidence'>,
): ReadonlySet<Book> {
  const books = new Set<Book>(['journal']);
  // What a stuck run heard long ago may show a difference; that another one is gone it does not tell.
  const isHeard = bank.kind === 'movement' || bank.kind === 'not-found';
  if (isHeard && bank.overdue !== true) books.add('bank');
  if (run.kind !== 'unknown') books.add('engine');
  if (statement !== null && entry !== null && seesAgain(statement, entry, known)) books.add('statement');
  return books;
}
