import type { Money } from '../books';
import type { ControlTotals, Tally } from '../report';

/** Exact decimal text, e.g. `1234567.5` → `1,234,567.50`: grouped for reading, never parsed again. */
export function readableAmount(value: string): string {
  const [whole = '0', fraction = '00'] = value.split('.');
  return `${whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',')}.${fraction}`;
}

/** Names the currency only if it is not pesos. */
export function readableMoney(money: Money | null): string {
  if (money === null) return '–';
  const amount = readableAmount(money.value);
  return money.currency === '032' ? amount : `${amount} (currency ${money.currency})`;
}

/** `2026-03-12 06:00 UTC`. */
export const readableTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/** Whole days; below two days, whole hours. */
export function readableAge(fromIso: string, toIso: string): string {
  const hours = Math.max(0, Math.floor((Date.parse(toIso) - Date.parse(fromIso)) / 3_600_000));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

export const readableCount = (count: number, one: string): string =>
  `${readableAmount(`${count}.00`).slice(0, -3)} ${count === 1 ? one : `${one}s`}`;

interface TotalRow {
  readonly book: string;
  /** The status in that book; null: the total of the book. */
  readonly status: string | null;
  readonly tally: Tally;
}

/** Says which amounts are summed; printed with every table of sums. */
export const SUMS =
  'sums of journal, bank and engine are of the amounts ordered: an amount that differs is an AMOUNT_MISMATCH';

/** The control totals as rows of a table, the statuses of a book in alphabetical order. */
export function totalRows(totals: ControlTotals): TotalRow[] {
  const { transfers, annulments, journal, bank, engine, statement } = totals;
  return [
    { book: 'transfers', status: null, tally: transfers },
    ...byStatus('journal', journal),
    ...byStatus('bank', bank),
    ...byStatus('engine', engine),
    { book: 'annulments', status: null, tally: annulments },
    ...byStatus('statement', statement),
  ];
}

function byStatus(book: string, tallies: Readonly<Record<string, Tally>>): TotalRow[] {
  const words = Object.entries(tallies).sort(([a], [b]) => (a < b ? -1 : 1));
  return words.map(([status, tally]) => ({ book, status, tally }));
}
