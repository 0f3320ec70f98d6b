import { createHash } from 'node:crypto';
import { formatAmount } from '../../domain/money';
import type { StatementLine } from '../books';
import { bookingDateReader, amountReader } from './statement-fields';
import type { SignedAmount } from './statement-fields';
import type { StatementMapping } from './mapping';
import { StatementProblem } from './statement-problem';
import type { LineRule } from './statement-problem';

export type ReadLine =
  | { readonly kind: 'booking'; readonly booking: StatementLine }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'bad'; readonly rule: LineRule };

/** The index of each mapped column in a record, from 0. */
export type ColumnIndex = (column: string | number) => number;

/** Finds columns by the header's names, compared without outer spaces, or by number in a file without a header. */
export function columnIndex(header: readonly string[] | null, line: number): ColumnIndex {
  const names = header?.map((name) => name.trim()) ?? [];
  return (column) => {
    if (typeof column === 'number') {
      if (header !== null && column > names.length) {
        throw new StatementProblem('COLUMN_NOT_FOUND', line, `number ${column}`);
      }
      return column - 1;
    }
    const index = names.indexOf(column.trim());
    if (index < 0) throw new StatementProblem('COLUMN_NOT_FOUND', line, column);
    if (names.lastIndexOf(column.trim()) !== index) throw new StatementProblem('COLUMN_TWICE', line, column);
    return index;
  };
}

/**
 * Stands for one of our own accounts in statements, keys and dumps of a journal: eight hex digits of its SHA-256.
 * Thousands of account numbers share each value, so it does not reveal the account. Two accounts of one company are
 * unlikely to share a value.
 */
export const accountMark = (account: string): string =>
  createHash('sha256').update(account).digest('hex').slice(0, 8);

const bad = (rule: LineRule): ReadLine => ({ kind: 'bad', rule });

/** A reader of records with at least `width` cells. */
export function lineReader(
  mapping: StatementMapping,
  indexOf: ColumnIndex,
): (record: readonly string[], line: number) => ReadLine {
  const { columns } = mapping;
  const readDate = bookingDateReader(mapping.date, mapping.utcOffset);
  const readAmount = directedAmountReader(mapping, indexOf);
  const readCurrency = currencyReader(mapping);
  const cell = (name: keyof typeof columns): ((record: readonly string[]) => string) => {
    const column = columns[name];
    if (column === undefined) return () => '';
    const index = indexOf(column);
    return (record) => record[index]?.trim() ?? '';
  };
  const readOwnAccount = ownAccountReader(mapping);
  const [bookedAt, currency, originId, movementId, networkId, account, counterparty] = [
    cell('bookedAt'),
    cell('currency'),
    cell('originId'),
    cell('movementId'),
    cell('networkId'),
    cell('account'),
    cell('counterpartyAccount'),
  ];
  const ignored = mapping.ignore.map(({ column, equals }) => ({ index: indexOf(column), equals }));

  return (record, line) => {
    if (ignored.some(({ index, equals }) => record[index]?.trim() === equals)) return { kind: 'ignored' };
    const ids = [originId(record), movementId(record), networkId(record)] as const;
    if (ids.some(isRounded)) return bad('ROUNDED_ID');
    const booked = readDate(bookedAt(record));
    if (booked === null) return bad('DATE');
    const money = readCurrency(currency(record));
    if (money === null) return bad('CURRENCY');
    const amount = readAmount(record);
    if (typeof amount === 'string') return bad(amount);
    const own = readOwnAccount(account(record));
    if (own === NO_ACCOUNT) return bad('ACCOUNT');
    return {
      kind: 'booking',
      booking: {
        line,
        originId: readOriginId(ids[0], mapping.originIdPrefix),
        movementId: readBankId(ids[1]),
        networkId: readBankId(ids[2]),
        direction: amount.direction,
        amount: { currency: money, value: formatAmount(amount.minor) },
        bookedAt: booked,
        account: own,
        counterpartyAccount: readAccount(counterparty(record)),
      },
    };
  };
}

interface DirectedAmount {
  readonly direction: 'debit' | 'credit';
  readonly minor: bigint;
}

function directedAmountReader(
  { columns, decimal, thousands, debitSign, directions }: StatementMapping,
  indexOf: ColumnIndex,
): (record: readonly string[]) => DirectedAmount | LineRule {
  const read = amountReader(decimal, thousands);
  const at = (column: string | number): ((record: readonly string[]) => SignedAmount | null | 'none') => {
    const index = indexOf(column);
    return (record) => {
      const text = record[index]?.trim() ?? '';
      return text === '' ? 'none' : read(text);
    };
  };
  const { amount, debit, credit, direction } = columns;
  if (amount === undefined) {
    const [readDebit, readCredit] = [at(debit ?? ''), at(credit ?? '')];
    return (record) => {
      const [out, back] = [readDebit(record), readCredit(record)];
      if (out === null || back === null) return 'AMOUNT';
      // Many banks fill the other column with 0,00. Amounts in a debit column may have a minus.
      const [outMinor, backMinor] = [minorOf(out), minorOf(back)];
      if (outMinor > 0n && backMinor > 0n) return 'AMOUNT_TWICE';
      if (outMinor > 0n) return { direction: 'debit', minor: outMinor };
      return backMinor > 0n ? { direction: 'credit', minor: backMinor } : 'AMOUNT_MISSING';
    };
  }
  const readOne = at(amount);
  const words = new Map(Object.entries(directions).map(([word, means]) => [wordKey(word), means]));
  const wordAt = direction === undefined ? null : indexOf(direction);
  return (record) => {
    const one = readOne(record);
    if (one === null) return 'AMOUNT';
    if (one === 'none' || one.minor === 0n) return 'AMOUNT_MISSING';
    if (wordAt === null) {
      const isDebit = one.negative === (debitSign === '-');
      return { direction: isDebit ? 'debit' : 'credit', minor: one.minor };
    }
    const means = words.get(wordKey(record[wordAt] ?? ''));
    return means === undefined ? 'DIRECTION' : { direction: means, minor: one.minor };
  };
}

const minorOf = (amount: SignedAmount | 'none'): bigint => (amount === 'none' ? 0n : amount.minor);

function currencyReader({ columns, currency, currencies }: StatementMapping) {
  const words = new Map(Object.entries(currencies).map(([word, code]) => [wordKey(word), code]));
  if (columns.currency === undefined) return () => currency;
  return (text: string): string | null => words.get(wordKey(text)) ?? (/^[0-9]{3}$/.test(text) ? text : null);
}

const wordKey = (word: string): string => word.trim().toLowerCase();

/** A cell without an id of ours holds another company's reference: no id, and no error. */
function readOriginId(text: string, prefix: string): number | null {
  if (!text.startsWith(prefix)) return null;
  const digits = text.slice(prefix.length).trim();
  if (!/^[0-9]{1,30}$/.test(digits)) return null;
  const originId = Number(digits);
  return Number.isSafeInteger(originId) && originId > 0 ? originId : null;
}

/**
 * Free text in a column of ids may name people, and breaks and reports print ids. The network's key of 22 characters
 * may have no digit: one in a thousand has none.
 */
function readBankId(text: string): string | null {
  return /^(?:(?=.*[0-9])[A-Za-z0-9._:/-]{1,64}|[A-Z0-9]{22})$/.test(text) ? text : null;
}

/** The mark of our own account; a file of a single account need not name it on each line. */
function ownAccountReader({ columns, accounts }: StatementMapping) {
  const [only] = accounts?.length === 1 ? accounts : [];
  const mark = only === undefined ? null : accountMark(only);
  if (columns.account === undefined) return () => mark;
  const marks = new Map<string, string>();
  return (text: string): string | null => {
    const account = readAccount(text);
    if (account === null) return NO_ACCOUNT;
    const known = marks.get(account) ?? accountMark(account);
    if (marks.size < MARKS_KEPT_MAX) marks.set(account, known);
    return known;
  };
}

const MARKS_KEPT_MAX = 1_000;
/** Equals no mark. */
const NO_ACCOUNT = '';

/** Only a complete CBU or CVU can be compared. */
function readAccount(text: string): string | null {
  const digits = text.replace(/[\s.\-/]/g, '');
  return /^[0-9]{22}$/.test(digits) ? digits : null;
}

const isRounded = (text: string): boolean => /^[0-9]([.,][0-9]+)?E\+[0-9]+$/i.test(text);
