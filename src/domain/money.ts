/**
 * Money is a whole number of centavos in a bigint (`amountMinor`). Outside this file it travels as a decimal
 * string with two decimals (`"1500.25"`), because JSON has no bigint and a double does arithmetic wrong
 * (0.29 * 100 = 28.999999999999996).
 */

/** The only currency the bank documents: the Argentine peso, ISO 4217 numeric, as text. */
export const PESO = '032';

/** Maximum number of integer digits of an amount (contract section 3). */
export const AMOUNT_INTEGER_DIGITS_MAX = 13;

/** A double distinguishes all decimals of this many significant digits, but not of one more. */
const EXACT_SIGNIFICANT_DIGITS = 15;

export type AmountProblem =
  'not-a-decimal' | 'too-many-significant-digits' | 'too-many-decimals' | 'not-positive' | 'too-large';

export type ParsedAmount =
  | { readonly ok: true; readonly amountMinor: bigint }
  | { readonly ok: false; readonly problem: AmountProblem };

const DECIMAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const DECIMAL_WITH_EXPONENT = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?[eE]([+-]?[0-9]+)$/;
/**
 * Largest exponent, of either sign, that is expanded. A larger one belongs to no valid amount, and its expansion would
 * only cost memory.
 */
const EXPONENT_MAX = 400;

const refuse = (problem: AmountProblem): ParsedAmount => ({ ok: false, problem });

/**
 * Reads an order's amount: a decimal string without exponent, or a JSON number of at most 15 significant digits,
 * which counts by its value (`1e3` is 1000.00). Zero, negatives, more than two decimals and more than 13 integer
 * digits are refused.
 */
export function parseOrderAmount(input: unknown): ParsedAmount {
  if (typeof input === 'number') {
    const literal = canonicalDecimal(String(input));
    if (literal === null) return refuse('not-a-decimal');
    if (significantDigits(literal) > EXACT_SIGNIFICANT_DIGITS) return refuse('too-many-significant-digits');
    return parseOrderAmount(literal);
  }
  if (typeof input !== 'string') return refuse('not-a-decimal');
  const match = DECIMAL.exec(input);
  if (match === null) return refuse('not-a-decimal');
  const [, sign, integer = '', fraction = ''] = match;
  if (sign === '-') return refuse('not-positive');
  if (fraction.length > 2) return refuse('too-many-decimals');
  if (integer.length > AMOUNT_INTEGER_DIGITS_MAX) return refuse('too-large');
  const amountMinor = BigInt(integer + fraction.padEnd(2, '0'));
  return amountMinor > 0n ? { ok: true, amountMinor } : refuse('not-positive');
}

/** `150025n` → `"1500.25"`: always two decimals. */
export function formatAmount(amountMinor: bigint): string {
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(3, '0');
  return `${amountMinor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * One spelling for each decimal value: no exponent, no trailing zeros, no `-0`. `"100.10"` → `"100.1"`,
 * `"1.5e3"` → `"1500"`. Null when the text is not a decimal number.
 */
export function canonicalDecimal(text: string): string | null {
  const plain = /[eE]/.test(text) ? expandExponent(text) : text;
  if (plain === null) return null;
  const match = DECIMAL.exec(plain);
  if (match === null) return null;
  const [, sign, integer = '0', fraction = ''] = match;
  const trimmed = fraction.replace(/0+$/, '');
  const value = trimmed === '' ? integer : `${integer}.${trimmed}`;
  return value === '0' ? '0' : `${sign ?? ''}${value}`;
}

/** `canonicalDecimal` of a number as banks write it: outer spaces and leading zeros do not count (`"032"` is 32). */
export function canonicalNumber(text: string): string | null {
  return canonicalDecimal(text.trim().replace(/^(-?)0+(?=[0-9])/, '$1'));
}

/** Whether two decimal texts have the same value (`100.10` = `100.1` = `1.001e2`). */
export function sameDecimal(a: string, b: string): boolean {
  const left = canonicalDecimal(a);
  return left !== null && left === canonicalDecimal(b);
}

function expandExponent(text: string): string | null {
  const match = DECIMAL_WITH_EXPONENT.exec(text);
  if (match === null) return null;
  const [, sign = '', integer = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > EXPONENT_MAX) return null;
  const digits = integer + fraction;
  const point = integer.length + exponent;
  const whole = point <= 0 ? '0' : digits.padEnd(point, '0').slice(0, point);
  const rest = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  const wholeTrimmed = whole.replace(/^0+(?=[0-9])/, '');
  return `${sign}${wholeTrimmed}${rest === '' ? '' : `.${rest}`}`;
}

function significantDigits(canonical: string): number {
  const digits = canonical.replace(/[-.]/g, '').replace(/^0+/, '');
  return canonical.includes('.') ? digits.length : digits.replace(/0+$/, '').length;
}
