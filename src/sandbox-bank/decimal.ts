const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]{1,2})0*)?$/;

/** `"1500.25"`, `"1500.250"` → 150025n; null when the text is no plain decimal with at most two decimals of value. */
export function centavos(text: string): bigint | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, integer = '', fraction = ''] = match;
  return BigInt(integer + fraction.padEnd(2, '0'));
}
