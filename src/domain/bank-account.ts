/**
 * Account numbers of the Argentine rails.
 *
 * - CBU: 22 digits, 3 bank + 4 branch + check | 13 account + check.
 * - CVU: the same 22 digits with bank 000: `000` + 4-digit provider + check | 13-digit client + check.
 *
 * Never a JavaScript number: 22 digits do not fit into one.
 */

const FIRST_BLOCK_WEIGHTS = [7, 1, 3, 9, 7, 1, 3] as const;
const SECOND_BLOCK_WEIGHTS = [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3] as const;

export type BankAccountProblem = 'alias' | 'not-22-digits' | 'all-zeros' | 'check-digit';

export type ParsedBankAccount =
  | { readonly ok: true; readonly digits: string; readonly kind: 'CBU' | 'CVU' }
  | { readonly ok: false; readonly problem: BankAccountProblem };

/** What a person may type between the digits; nothing else is stripped. */
const SEPARATORS = /[ -]/g;

/** An alias has 6 to 20 letters, digits, dots and dashes, at least one of them a letter. */
const ALIAS = /^(?=.*[A-Za-z])[A-Za-z0-9.-]{6,20}$/;

/**
 * Reads a CBU or CVU. `checkDigits: false` accepts a wrong check digit (some banks' sandboxes hand out such numbers).
 */
export function parseBankAccount(
  text: string,
  options: { readonly checkDigits: boolean },
): ParsedBankAccount {
  const digits = text.replace(SEPARATORS, '');
  if (!/^[0-9]{22}$/.test(digits))
    return { ok: false, problem: ALIAS.test(text.trim()) ? 'alias' : 'not-22-digits' };
  // 22 zeros pass both check digits, but no account has that number.
  if (/^0+$/.test(digits)) return { ok: false, problem: 'all-zeros' };
  if (options.checkDigits && !hasValidCheckDigits(digits)) return { ok: false, problem: 'check-digit' };
  return { ok: true, digits, kind: digits.startsWith('000') ? 'CVU' : 'CBU' };
}

export function hasValidCheckDigits(digits: string): boolean {
  return (
    Number(digits[7]) === checkDigit(digits.slice(0, 7), FIRST_BLOCK_WEIGHTS) &&
    Number(digits[21]) === checkDigit(digits.slice(8, 21), SECOND_BLOCK_WEIGHTS)
  );
}

/** `(10 − Σ dᵢ·wᵢ mod 10) mod 10`: without the outer `mod 10`, numbers whose check digit is 0 would be refused. */
function checkDigit(block: string, weights: readonly number[]): number {
  const sum = weights.reduce((total, weight, i) => total + weight * Number(block[i]), 0);
  return (10 - (sum % 10)) % 10;
}
