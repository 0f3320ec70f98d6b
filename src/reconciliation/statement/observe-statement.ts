import type { Break } from '../break';
import type { JournalEntry, StatementLine, StatementObservation } from '../books';
import { accountMark } from './line-reader';
import type { StatementSummary } from './statement-sums';

/** A statement's content about one transfer; `lines`: the lines with an id of the transfer. */
export function observeStatement(
  statement: Pick<StatementSummary, 'sha256' | 'period' | 'badLines' | 'accounts'>,
  entry: Pick<JournalEntry, 'from' | 'to' | 'openedAt' | 'finalAt'>,
  lines: readonly StatementLine[],
): StatementObservation {
  const { sha256, period, badLines, accounts } = statement;
  // The statement's account may be unknown; then a line of the transfer shows it.
  const isOfAccount = accounts?.includes(accountMark(entry.from)) ?? ownLines(entry, lines).length > 0;
  return {
    ...{ sha256, lines },
    covers: covers(statement, entry),
    completePeriod: isOfAccount && badLines === 0 ? period : null,
  };
}

/**
 * The lines about the account that sent the transfer. A payment between two accounts of ours has a credit with the same
 * ids on the statement of the other account: the money arrived there, and was not returned.
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

/** Banks book a transfer at the latest on the day after its final status. */
const BOOKED_LATER_MS = 86_400_000;

/**
 * Whether the statement must have the booking of this transfer, so that its absence proves something. The statement
 * must be of the sending account, begin before the order and end a day after the final status. If lines could not be
 * read, or if the account is unknown, absence proves nothing.
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

/** Many files have only days: a file that ends on the day of a booking may have been written before the booking. */
const DAY_MS = 86_400_000;

/**
 * Whether this statement would show a break of another statement again, so that its absence resolves the break. A
 * file of another period or account proves nothing; a booking that corrects the error may come in the next file.
 */
export function seesAgain(
  observation: StatementObservation,
  entry: Pick<JournalEntry, 'from' | 'to' | 'openedAt'>,
  { subCase, evidence }: Pick<Break, 'subCase' | 'evidence'>,
): boolean {
  const lines = ownLines(entry, observation.lines);
  const debits = lines.filter(({ direction }) => direction === 'debit').length;
  const returned = lines.length - debits;
  if (subCase === 'NOT_ON_STATEMENT') return observation.covers || debits > 0;
  const isNowReturned = subCase === 'FAILED_BUT_DEBITED' || subCase === 'NOT_TAKEN_BUT_DEBITED';
  if (isNowReturned && returned > debits) return true;
  const { completePeriod } = observation;
  if (completePeriod === null || evidence === null) return false;
  // The file must cover all lines that may be behind the break: from the order to the last such line, whose day must be
  // over.
  const beginsBefore = Date.parse(completePeriod.from) <= Date.parse(entry.openedAt);
  return beginsBefore && Date.parse(evidence.at) + DAY_MS <= Date.parse(completePeriod.to);
}
