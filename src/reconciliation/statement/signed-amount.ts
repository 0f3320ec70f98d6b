import { AMOUNT_INTEGER_DIGITS_MAX } from '../../domain/money';

/** An amount as a statement writes it: centavos, and whether it has a minus. */
export interface SignedAmount {
  readonly minor: bigint;
  readonly negative: boolean;
}

/**
 * Reads amounts with this decimal mark and these thousands, both strictly: `1.234` with decimal `.` is refused for
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
