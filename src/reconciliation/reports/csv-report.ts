import type { Break } from '../break';
import type { NotAsked, Report, Tally } from '../report';
import { totalRows } from './readable';

/** What spreadsheets read as the beginning of a formula, in plain and full-width form, even after spaces. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/**
 * The beginning of a formula within a cell, after a character that ends a cell or a line in another locale. Where
 * commas are decimal marks, the separator is a semicolon, and quotes in the middle of a cell do not protect it.
 */
const FORMULA_BEHIND_SEPARATOR = /([;\t\r\n]["\s]*)(?=[=+\-@＝＋－＠])/g;

/**
 * Text that a spreadsheet would read as a number and change: spreadsheets keep 15 digits, drop leading zeros, and read
 * `12e34` as a power of ten. That destroys account numbers, network ids, originIds and hashes.
 */
const CHANGED_NUMBER = /^\s*(?:[0-9]{16,}|0[0-9]+|[0-9.,]+[eE][0-9]+)\s*$/;

/**
 * One cell, always in quotes (RFC 4180). A text that a spreadsheet would run or change gets an apostrophe in front. The
 * apostrophe is visible in the cell, but nothing is lost. The form `="…"` shows no apostrophe, but is itself a formula.
 */
export function csvCell(value: string | number | null): string {
  const text = (value === null ? '' : String(value)).replace(FORMULA_BEHIND_SEPARATOR, "$1'");
  const guarded = FORMULA.test(text) || CHANGED_NUMBER.test(text) ? `'${text}` : text;
  return `"${guarded.replaceAll('"', '""')}"`;
}

/** Records with CRLF after each, and a byte order mark before them: without it Excel does not read UTF-8. */
export function csvText(records: readonly (readonly (string | number | null)[])[]): string {
  return `\uFEFF${records.map((record) => `${record.map(csvCell).join(',')}\r\n`).join('')}`;
}

const COLUMNS = [
  /** TOTAL, BREAK or NOT_ASKED. */
  'record',
  'book',
  'status',
  'count',
  'amount',
  'currency',
  'class',
  'subCase',
  'severity',
  'state',
  'originId',
  'detail',
  'firstSeen',
  'lastSeen',
  'resolvedBy',
  'operator',
  'note',
  'evidenceSha256',
  'evidenceAt',
  'key',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

/** One table for a spreadsheet: control totals, breaks, and what could not be checked. */
export function csvReport(report: Report): string {
  const rows = [
    ...totalRows(report.totals).map(({ book, status, tally }) => totalRow(book, status, tally)),
    ...report.breaks.map(breakRow),
    ...report.notAsked.map(notAskedRow),
    ...furtherRow(report),
  ];
  return csvText([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? null))]);
}

const totalRow = (book: string, status: string | null, { count, amount }: Tally): Row => ({
  record: 'TOTAL',
  book,
  status,
  count,
  amount,
  currency: '032',
});

function breakRow({ amount, evidence, ...one }: Break): Row {
  const { book, subCase, severity, state, originId, detail, firstSeen, lastSeen } = one;
  return {
    record: 'BREAK',
    book,
    count: 1,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    class: one.class,
    subCase,
    severity,
    state,
    originId,
    detail,
    firstSeen,
    lastSeen,
    resolvedBy: one.resolvedBy,
    operator: one.operator,
    note: one.note,
    evidenceSha256: evidence?.sha256 ?? null,
    evidenceAt: evidence?.at ?? null,
    key: one.key,
  };
}

const notAskedRow = ({ book, originId, reason }: NotAsked): Row => ({
  record: 'NOT_ASKED',
  book,
  status: reason,
  count: 1,
  originId,
});

/** The report holds the first of them and counts the others, so that a sum over the rows is complete. */
function furtherRow({ asOf, notAsked, notAskedCount }: Report): Row[] {
  const count = notAskedCount - notAsked.length;
  if (count === 0) return [];
  const detail = `and ${count} more: giro reconcile show ${asOf} --not-asked --format csv`;
  return [{ record: 'NOT_ASKED', status: 'FURTHER', count, detail }];
}
