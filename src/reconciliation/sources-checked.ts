import type { BankObservation, Book, BookedTransfer } from './books';
import type { Break } from './break';
import type { NotAsked, Outcome } from './report';
import { seesAgain } from './statement/observe-statement';

/** The books that a run has checked for this transfer: only in these can it resolve what an earlier run saw. */
export function sourcesChecked(
  { entry, bank, run, statement }: BookedTransfer,
  known: Pick<Break, 'subCase' | 'evidence'>,
): ReadonlySet<Book> {
  const books = new Set<Book>(['journal']);
  // An old answer of a stuck run may show a difference, but does not prove that another difference is gone.
  const isAnswered = bank.kind === 'movement' || bank.kind === 'not-found';
  if (isAnswered && bank.overdue !== true) books.add('bank');
  if (run.kind !== 'unknown') books.add('engine');
  if (statement !== null && entry !== null && seesAgain(statement, entry, known)) books.add('statement');
  return books;
}

/**
 * What this run could not check, and why. An inquiry without a readable answer counts. `NOTHING_RECORDED` does not
 * count, because no inquiry was due.
 */
export function notAskedOf({ originId, bank, run }: BookedTransfer): NotAsked[] {
  const found: NotAsked[] = [];
  if (bank.kind === 'no-answer') found.push({ originId, book: 'bank', reason: 'NO_ANSWER' });
  if (bank.kind === 'not-recorded') found.push({ originId, book: 'bank', reason: 'NOT_RECORDED' });
  if (bank.kind === 'not-asked' && bank.reason !== 'NOTHING_RECORDED' && bank.reason !== 'OVERDUE') {
    found.push({ originId, book: 'bank', reason: bank.reason });
  }
  if (isOverdue(bank)) found.push({ originId, book: 'bank', reason: 'OVERDUE' });
  if (run.kind === 'unknown') found.push({ originId, book: 'engine', reason: 'ENGINE_UNREACHABLE' });
  return found;
}

/** Whether the transfer's workflow run should have asked or sent long ago, even if it has recorded an answer. */
export function isOverdue(bank: BankObservation): boolean {
  switch (bank.kind) {
    case 'not-asked':
      return bank.reason === 'OVERDUE';
    case 'movement':
    case 'not-found':
      return bank.overdue === true;
    case 'no-answer':
    case 'not-recorded':
      return false;
  }
}

/** A run that could not check everything cannot report CLEAN, and its BREAKS may be incomplete. */
export function outcomeOf(unresolvedBreaks: number, notAsked: number): Outcome {
  if (notAsked > 0) return 'PARTIAL';
  return unresolvedBreaks > 0 ? 'BREAKS' : 'CLEAN';
}
