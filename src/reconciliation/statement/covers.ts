import type { JournalEntry } from '../books';
import { accountMark } from './account-mark';
import type { StatementSummary } from './statement-sums';

/** Banks book a transfer at the latest on the day after its final word. */
const BOOKED_LATER_MS = 86_400_000;

/**
 * Whether the statement must hold the booking of this transfer, so that its absence says something: it is one of the
 * account that sent it, begins before the order and ends a day after the final word. A statement with lines that could
 * not be read, or of nobody knows which account, proves no absence.
 */
export function covers(
  { period, badLines, accounts }: Pick<StatementSummary, 'period' | 'badLines' | 'accounts'>,
  { from, openedAt, finalAt }: Pick<JournalEntry, 'from' | 'openedAt' | 'finalAt'>,
): boolean {
  if (period === null || badLines > 0 || finalAt === null) return false;
  if (accounts?.includes(accountMark(from)) !== true) return false;
  const isBefore = Date.parse(period.from) <= Date.parse(openedAt);
  return isBefore && Date.parse(finalAt) + BOOKED_LATER_MS <= Date.parse(period.to);
}
