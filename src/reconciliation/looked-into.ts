import type { Book, BookedTransfer } from './books';

/** The books that a run has looked into for this transfer: only there can it resolve what an earlier run saw. */
export function lookedInto({ bank, run, statement }: BookedTransfer): ReadonlySet<Book> {
  const books = new Set<Book>(['journal']);
  if (bank.kind === 'movement' || bank.kind === 'not-found') books.add('bank');
  if (run.kind !== 'unknown') books.add('engine');
  // A line that is not in a file of another time says nothing.
  if (statement !== null && (statement.covers || statement.lines.length > 0)) books.add('statement');
  return books;
}
