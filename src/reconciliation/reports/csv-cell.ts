/** What spreadsheets take for the beginning of a formula, in plain and full-width form, also behind spaces. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/**
 * The same within a cell, behind what another locale takes for the end of a cell or a line: where commas are decimal marks
 * the separator is a semicolon, and quotes that begin in the middle of such a cell end nothing.
 */
const FORMULA_BEHIND_SEPARATOR = /([;\t\r\n]["\s]*)(?=[=+\-@＝＋－＠])/g;

/**
 * Text that a spreadsheet would read as a number and change: it keeps 15 digits, drops leading zeros, and takes
 * `12e34` for a power of ten. That destroys account numbers, network ids, originIds and hashes.
 */
const CHANGED_NUMBER = /^\s*(?:[0-9]{16,}|0[0-9]+|[0-9.,]+[eE][0-9]+)\s*$/;

/**
 * One cell, always in quotes (RFC 4180). A text that a spreadsheet would run or change gets an apostrophe before it:
 * it is seen in the cell, and nothing is lost. `="…"` would hide it better, and is itself a formula.
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
