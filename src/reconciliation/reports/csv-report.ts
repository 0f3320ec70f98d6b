import type { Break } from '../break';
import type { NotAsked, Report, Tally } from '../report';
import { csvText } from './csv-cell';
import { totalRows } from './readable';

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

/** One table for a spreadsheet: control totals, breaks, and what could not be looked at. */
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

/** The report holds the first of them; the others are counted, so that no sum over the rows misses one. */
function furtherRow({ asOf, notAsked, notAskedCount }: Report): Row[] {
  const count = notAskedCount - notAsked.length;
  if (count === 0) return [];
  const detail = `and ${count} more: giro reconcile show ${asOf} --not-asked --format csv`;
  return [{ record: 'NOT_ASKED', status: 'FURTHER', count, detail }];
}
