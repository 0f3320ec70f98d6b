import { oneLine } from '../../domain/printable';
import type { CommandIo } from '../../program/io';
import { LIMIT_MAX } from './arguments';

/** The one JSON document of a command with `--json`. */
export function printJson({ stdout }: CommandIo, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The same document for a list that comes page by page: only one page is in memory at a time. */
export async function printJsonPages(
  { stdout }: CommandIo,
  pages: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  let before = '[\n';
  for await (const page of pages) {
    for (const one of page) {
      stdout.write(`${before}${JSON.stringify(one, null, 2).replace(/^/gm, '  ')}`);
      before = ',\n';
    }
  }
  stdout.write(before === '[\n' ? '[]\n' : '\n]\n');
}

export function printLines({ stdout }: CommandIo, lines: readonly string[]): void {
  for (const line of lines) stdout.write(`${oneLine(line)}\n`);
}

/** A line for people, on stderr: the result is on stdout. */
export function note({ stderr }: CommandIo, line: string): void {
  stderr.write(`${oneLine(line)}\n`);
}

/** For a list that ends at `--limit`. */
export function noteMore(io: CommandIo, limit: number): void {
  note(io, `there are more than these ${limit}: --limit takes up to ${LIMIT_MAX}`);
}

/** Columns of equal width, two spaces apart, without borders: to read, to grep, to cut. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((row) => row.map(oneLine));
  const widths = columnWidths(all);
  return all.map((row) => alignedRow(row, widths));
}

/**
 * The same table page by page. The columns are as wide as the first page needs, and become wider if a later page needs
 * it.
 */
export async function printTablePages(
  io: CommandIo,
  { head, none }: { readonly head: readonly string[]; readonly none: string },
  pages: AsyncIterable<readonly (readonly string[])[]>,
): Promise<void> {
  let widths: number[] = [];
  for await (const rows of pages) {
    const isFirst = widths.length === 0;
    if (isFirst && rows.length === 0) printLines(io, [none]);
    if (rows.length === 0) return;
    const shown = isFirst ? [head, ...rows] : rows;
    widths = columnWidths([widths.map((width) => ' '.repeat(width)), ...shown]);
    printLines(
      io,
      shown.map((row) => alignedRow(row, widths)),
    );
  }
}

/** The width of each column's widest cell. */
function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, oneLine(cell).length);
  }
  return widths;
}

const alignedRow = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();

/** `name: value` lines, values aligned. */
export function alignedFields(fields: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}  ${value}`.trimEnd());
}

export const orDash = (value: string | number | null): string => (value === null ? '-' : String(value));
