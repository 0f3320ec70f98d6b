/** Why a line of a statement cannot be read. Never contains the line's values, which may name people. */
export const LINE_RULES = {
  COLUMNS: 'does not have as many columns as the header',
  DATE: 'the booking date is not of the pattern, or not of the years 2000 to 2999',
  AMOUNT: 'the amount is not of the format',
  AMOUNT_MISSING: 'the amount is missing',
  AMOUNT_TWICE: 'both a debit and a credit are given',
  DIRECTION: 'the direction is not one of the words in directions',
  CURRENCY: 'the currency is not one of the words in currencies',
  ACCOUNT: 'the own account is not a CBU or CVU of 22 digits',
  ROUNDED_ID: 'an id is written like 4.7E+15: a spreadsheet has rounded it, and it is lost',
} as const satisfies Record<string, string>;
export type LineRule = keyof typeof LINE_RULES;

export interface BadLine {
  readonly line: number;
  readonly rule: LineRule;
}

/** Why a statement cannot be read any further. */
const FILE_RULES = {
  ENCODING: 'the file is not UTF-8; the mapping can say latin1',
  QUOTES: 'a quote is misplaced or never closed; the mapping can say quote: null',
  RECORD_TOO_LARGE: 'a record is longer than 64 KiB: wrong delimiter or quote?',
  NOT_CSV: 'the file is not a CSV of this mapping',
  NO_HEADER: 'the file ends before its header',
  COLUMN_NOT_FOUND: 'the header has no such column',
  TOO_MANY_WITHOUT_ID:
    'more than 100,000 different bookings carry no id: does the mapping name the columns of ids?',
  COLUMN_TWICE: 'the header has this column more than once',
} as const satisfies Record<string, string>;
export type FileRule = keyof typeof FILE_RULES;

/** `subject`: a column's name as the mapping writes it. */
export class StatementProblem extends Error {
  override readonly name = 'StatementProblem';

  constructor(
    readonly rule: FileRule,
    readonly line: number,
    subject?: string,
  ) {
    super(`line ${line}: ${FILE_RULES[rule]}${subject === undefined ? '' : ` (${subject})`}`);
  }
}
