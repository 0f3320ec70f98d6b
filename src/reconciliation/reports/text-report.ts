import { oneLine } from '../../domain/printable';
import type { Break } from '../break';
import type { Report } from '../report';
import {
  readableAge,
  readableAmount,
  readableCount,
  readableMoney,
  readableTime,
  SUMS,
  totalRows,
} from './readable';

const NOT_ASKED_SHOWN = 20;

/** The report for a terminal: what it found, control totals, every break with its sentence. Ends with a line feed. */
export function textReport(report: Report): string {
  const lines = [
    `Reconciliation as of ${readableTime(report.asOf)}: ${report.outcome}`,
    `window ${readableTime(report.from)} to ${readableTime(report.to)}`,
    [
      readableCount(report.breaks.filter(({ state }) => state !== 'resolved').length, 'break'),
      `${report.breaksOpened} opened`,
      `${report.breaksResolved} resolved`,
      `${report.notAskedCount} not checked`,
    ].join(', '),
    '',
    ...totalsTable(report),
    `(${SUMS})`,
    ...report.breaks.flatMap((one) => breakLines(one, report.asOf)),
    ...notAskedLines(report),
    '',
    ...chainLines(report),
  ];
  return `${lines.map(oneLine).join('\n')}\n`;
}

function totalsTable({ totals }: Report): string[] {
  const rows = totalRows(totals).map(({ book, status, tally }) => [
    book,
    status ?? '',
    String(tally.count),
    readableAmount(tally.amount),
  ]);
  const all = [['book', 'status', 'count', 'pesos'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}

function breakLines(one: Break, asOf: string): string[] {
  const word = one.operator === null ? '' : ` by ${one.operator}: ${one.note ?? ''}`;
  const proof =
    one.evidence === null ? [] : [`evidence of ${one.evidence.at}, sha256 ${one.evidence.sha256 ?? '–'}`];
  return [
    '',
    `${one.severity.toUpperCase()}  ${one.class}  ${readableMoney(one.amount)}  known for ${readableAge(one.firstSeen, asOf)}`,
    `  ${one.detail}`,
    `  ${[`${one.state}${word}`, ...proof].join('; ')}`,
    `  ${one.key}`,
  ];
}

/** The values to keep outside the journal. */
function chainLines({ chain }: Report): string[] {
  if (chain === null)
    return ['Chain of reports: the journal has no link of this report, see `giro audit verify`'];
  return [
    `Chain of reports: link ${chain.sequence}, ${readableCount(chain.records, 'record')} since the one before, up to ${chain.cursor ?? 'no event'}`,
    `  head ${chain.sha256}`,
  ];
}

function notAskedLines({ asOf, notAsked, notAskedCount }: Report): string[] {
  if (notAskedCount === 0) return [];
  const shown = notAsked.slice(0, NOT_ASKED_SHOWN);
  const more = notAskedCount - shown.length;
  return [
    '',
    'Not checked:',
    ...shown.map(({ originId, book, reason }) => `  ${originId}  ${book}  ${reason}`),
    ...(more > 0 ? [`  and ${more} more: giro reconcile show ${asOf} --not-asked`] : []),
  ];
}
