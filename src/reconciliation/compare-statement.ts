import { sameDecimal } from '../domain/money';
import type { BookedTransfer, JournalEntry, StatementLine } from './books';
import type { FoundBreak } from './break';
import type { SubCase } from './differences';
import { foundBreak } from './found-break';
import { accountMark } from './statement/line-reader';
import { ownLines } from './statement/observe-statement';

/** Compares the statement's lines, in any order, with the journal's entry. */
export function compareWithStatement(
  { statement }: BookedTransfer,
  entry: JournalEntry,
  isDuplicate: boolean,
): FoundBreak[] {
  if (statement === null) return [];
  const lines = ownLines(entry, statement.lines).sort((a, b) => a.line - b.line);
  const debits = lines.filter(({ direction }) => direction === 'debit');
  const returned = lines.length - debits.length;
  const found: SubCase[] = [
    // If two transfers share an id, their one debit counts for the first of them.
    ...stateDifferences(entry, debits.length, returned, statement.covers && !isDuplicate),
    // The second payment may have other ids and another amount: report only that it was made.
    ...(debits.length - returned > 1 ? (['DEBITED_TWICE'] as const) : fieldDifferences(entry, lines, debits)),
  ];
  const tail = [
    `journal ${entry.result?.status ?? 'open'}`,
    lines.length === 0
      ? 'no line'
      : `line${lines.length > 1 ? 's' : ''} ${lines.map(({ line }) => line).join(', ')}`,
  ];
  const at = lines.at(-1)?.bookedAt ?? entry.finalAt ?? entry.openedAt;
  return found.map((subCase) =>
    foundBreak(subCase, {
      originId: entry.originId,
      tail,
      amount: entry.amount,
      evidence: { sha256: statement.sha256, at },
      fact: [entry.result?.status ?? null, String(debits.length), String(returned)],
    }),
  );
}

function stateDifferences(entry: JournalEntry, debits: number, returned: number, covers: boolean): SubCase[] {
  switch (entry.result?.status) {
    case undefined:
      return [];
    case 'COMPLETED':
      // The debit may be in an earlier file.
      if (returned > 0 && returned >= debits) return ['COMPLETED_BUT_RETURNED'];
      return debits === 0 && covers ? ['NOT_ON_STATEMENT'] : [];
    case 'FAILED':
      return debits > returned ? ['FAILED_BUT_DEBITED'] : [];
    case 'REFUSED':
    case 'WITHDRAWN':
      return debits > returned ? ['NOT_TAKEN_BUT_DEBITED'] : [];
  }
}

function fieldDifferences(
  { originId, movementId, amount, from, to }: JournalEntry,
  lines: readonly StatementLine[],
  debits: readonly StatementLine[],
): SubCase[] {
  const isOther = (line: StatementLine) =>
    line.originId === originId &&
    line.movementId !== null &&
    movementId !== null &&
    line.movementId !== movementId;
  // The line of another payment says nothing about the fields of this one.
  if (lines.some(isOther)) return ['OTHER_MOVEMENT_ON_STATEMENT'];
  const found: SubCase[] = [];
  if (lines.some((line) => !sameDecimal(line.amount.value, amount.value))) found.push('AMOUNT_ON_STATEMENT');
  if (lines.some((line) => line.amount.currency !== amount.currency)) found.push('CURRENCY_ON_STATEMENT');
  const goesElsewhere = ({ counterpartyAccount }: StatementLine) =>
    counterpartyAccount !== null && counterpartyAccount !== to;
  if (debits.some(goesElsewhere)) found.push('DESTINATION_ON_STATEMENT');
  const sender = accountMark(from);
  if (debits.some(({ account }) => account !== null && account !== sender)) found.push('SOURCE_ON_STATEMENT');
  return found;
}
