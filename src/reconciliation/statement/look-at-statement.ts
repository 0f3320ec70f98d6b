import type { JournalEntry, StatementLine, StatementLook } from '../books';
import { accountMark } from './account-mark';
import { covers } from './covers';
import { ownLines } from './own-lines';
import type { StatementSummary } from './statement-sums';

/** What a statement says of one transfer; `lines`: those that carry an id of it. */
export function lookAtStatement(
  statement: Pick<StatementSummary, 'sha256' | 'period' | 'badLines' | 'accounts'>,
  entry: Pick<JournalEntry, 'from' | 'to' | 'openedAt' | 'finalAt'>,
  lines: readonly StatementLine[],
): StatementLook {
  const { sha256, period, badLines, accounts } = statement;
  // Of which account it is may not be known; then a line of the transfer's own tells.
  const isOfAccount = accounts?.includes(accountMark(entry.from)) ?? ownLines(entry, lines).length > 0;
  return {
    ...{ sha256, lines },
    covers: covers(statement, entry),
    speaksOf: isOfAccount && badLines === 0 ? period : null,
  };
}
