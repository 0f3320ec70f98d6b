import type { JournalEntry, StatementLine } from '../books';
import { accountMark } from './account-mark';

/**
 * The lines that speak of the account which sent the transfer. A payment from one of our accounts to another one has a
 * credit on the statement of the other one, by the same ids: it arrived, and was not returned.
 */
export function ownLines(
  { from, to }: Pick<JournalEntry, 'from' | 'to'>,
  lines: readonly StatementLine[],
): StatementLine[] {
  const arrivesAt = accountMark(to);
  return lines.filter(
    ({ direction, account, counterpartyAccount }) =>
      direction === 'debit' || !(account === arrivesAt || counterpartyAccount === from),
  );
}
