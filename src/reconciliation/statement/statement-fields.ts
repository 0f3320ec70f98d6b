import { AMOUNT_INTEGER_DIGITS_MAX } from '../../domain/money';

/** An amount as a statement writes it: centavos, and whether it has a minus. */
export interface SignedAmount {
  readonly minor: bigint;
  readonly negative: boolean;
}

/**
 * Reads amounts strictly, with this decimal mark and this thousands separator: `1.234` with decimal `.` is refused for
 * its three decimals and never read as 1234. A minus may stand before or after, `$` before. Null: not an amount.
 */
export function amountReader(decimal: '.' | ',', thousands: string): (text: string) => SignedAmount | null {
  const mark = `\\${decimal}`;
  const group = thousands === '' ? '' : `|[0-9]{1,3}(?:[${thousands}][0-9]{3})+`;
  const shape = new RegExp(`^([-+]?)\\$?\\s*([0-9]+${group})(?:${mark}([0-9]{1,2}))?(-?)$`);
  return (text) => {
    const match = shape.exec(text.trim().replaceAll('\u00a0', ' '));
    if (match === null) return null;
    const [, before = '', whole = '', fraction = '', after = ''] = match;
    if (before !== '' && after !== '') return null;
    const digits = whole.replace(/[^0-9]/g, '').replace(/^0+(?=[0-9])/, '');
    if (digits.length > AMOUNT_INTEGER_DIGITS_MAX) return null;
    return { minor: BigInt(digits + fraction.padEnd(2, '0')), negative: before === '-' || after === '-' };
  };
}

const TOKENS = ['yyyy', 'MM', 'dd', 'HH', 'mm', 'ss'] as const;
type Token = (typeof TOKENS)[number];
const ANY_TOKEN = /yyyy|MM|dd|HH|mm|ss/g;

/** Year, month and day once each, hour, minute and second at most once, and no other letters or digits. */
export function isDatePattern(pattern: string): boolean {
  const tokens: string[] = pattern.match(ANY_TOKEN) ?? [];
  const isOnce = new Set(tokens).size === tokens.length;
  const hasDay = ['yyyy', 'MM', 'dd'].every((token) => tokens.includes(token));
  return isOnce && hasDay && pattern.length <= 40 && !/[\p{L}\p{N}]/u.test(pattern.replace(ANY_TOKEN, ''));
}

/**
 * Reads the local times of a statement, written by `pattern` (such as `dd/MM/yyyy HH:mm`), `utcOffset` (such as
 * `-03:00`) away from UTC. The reader returns ISO 8601 UTC, or null for text that does not match the pattern, a date that
 * does not exist, or a year before 2000 or after 2999: banks write 0001-01-01, 1900-01-01 or 9999-12-31 for no date, and
 * the statement would seem to cover all the time up to there.
 */
export function bookingDateReader(pattern: string, utcOffset: string): (text: string) => string | null {
  const order = (pattern.match(ANY_TOKEN) ?? []) as Token[];
  const source = pattern
    .split(/(yyyy|MM|dd|HH|mm|ss)/)
    .map((part) => (part === 'yyyy' ? '([0-9]{4})' : isToken(part) ? '([0-9]{2})' : escaped(part)))
    .join('');
  const shape = new RegExp(`^${source}$`);
  return (text) => {
    const match = shape.exec(text.trim());
    if (match === null) return null;
    const part = (token: Token): string => {
      const index = order.indexOf(token);
      return index < 0 ? '00' : (match[index + 1] ?? '00');
    };
    const local = `${part('yyyy')}-${part('MM')}-${part('dd')}T${part('HH')}:${part('mm')}:${part('ss')}.000`;
    const asUtc = new Date(`${local}Z`);
    // 30 February would be read as a day in March.
    if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== `${local}Z`) return null;
    const booked = new Date(`${local}${utcOffset}`).toISOString();
    return /^2[0-9]{3}-/.test(booked) ? booked : null;
  };
}

const isToken = (part: string): part is Token => (TOKENS as readonly string[]).includes(part);
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
