import type { CommandIo } from './io';

/** The one JSON document of a command with `--json`. */
export function printJson({ stdout }: CommandIo, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printLines({ stdout }: CommandIo, lines: readonly string[]): void {
  for (const line of lines) stdout.write(`${line}\n`);
}

/** For people, beside the result. */
export function note({ stderr }: CommandIo, line: string): void {
  stderr.write(`${line}\n`);
}

/** Columns of equal width, two spaces apart, without borders: to read, to grep, to cut. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** `name: value` lines, values aligned. */
export function alignedFields(fields: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}  ${value}`.trimEnd());
}

export const orDash = (value: string | number | null): string => (value === null ? '-' : String(value));
