import type { ControlTotals, Tally } from '../report';

export interface TotalRow {
  readonly book: string;
  /** The book's word; null: all of it. */
  readonly status: string | null;
  readonly tally: Tally;
}

/** What the sums are sums of, wherever they are shown. */
export const SUMS =
  'sums of journal, bank and engine are of the amounts ordered: an amount that differs is an AMOUNT_MISMATCH';

/** The control totals as lines of a table, the words of a book in alphabetical order. */
export function totalRows(totals: ControlTotals): TotalRow[] {
  const { transfers, annulments, journal, bank, engine, statement } = totals;
  return [
    { book: 'transfers', status: null, tally: transfers },
    ...byWord('journal', journal),
    ...byWord('bank', bank),
    ...byWord('engine', engine),
    { book: 'annulments', status: null, tally: annulments },
    ...byWord('statement', statement),
  ];
}

function byWord(book: string, tallies: Readonly<Record<string, Tally>>): TotalRow[] {
  const words = Object.entries(tallies).sort(([a], [b]) => (a < b ? -1 : 1));
  return words.map(([status, tally]) => ({ book, status, tally }));
}
