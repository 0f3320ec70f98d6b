/**
 * CUIT (companies and self-employed) and CUIL (workers): 11 digits, the last a check digit. The bank names both
 * `CUI` in `personIdType`.
 */

const WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2] as const;

/** Prefixes in use: persons, companies, and a few special ones of the tax authority. */
const KNOWN_PREFIXES: ReadonlySet<string> = new Set([
  '20',
  '23',
  '24',
  '25',
  '26',
  '27',
  '30',
  '33',
  '34',
  '50',
  '51',
  '55',
]);

export type TaxIdProblem = 'not-11-digits' | 'check-digit';

export type ParsedTaxId =
  | { readonly ok: true; readonly digits: string; readonly warning: 'unknown-prefix' | null }
  | { readonly ok: false; readonly problem: TaxIdProblem };

const SEPARATORS = /[ -]/g;

/** Reads a CUIT or CUIL; an unknown prefix with a good digit is a warning, not an error. */
export function parseTaxId(text: string, options: { readonly checkDigits: boolean }): ParsedTaxId {
  const digits = text.replace(SEPARATORS, '');
  if (!/^[0-9]{11}$/.test(digits)) return { ok: false, problem: 'not-11-digits' };
  if (options.checkDigits && !hasValidCheckDigit(digits)) return { ok: false, problem: 'check-digit' };
  return { ok: true, digits, warning: KNOWN_PREFIXES.has(digits.slice(0, 2)) ? null : 'unknown-prefix' };
}

function hasValidCheckDigit(digits: string): boolean {
  const remainder = WEIGHTS.reduce((total, weight, i) => total + weight * Number(digits[i]), 0) % 11;
  // Remainder 1 would need the digit 10: the tax authority never issues such a number, and changes the prefix instead.
  if (remainder === 1) return false;
  return Number(digits[10]) === (remainder === 0 ? 0 : 11 - remainder);
}
