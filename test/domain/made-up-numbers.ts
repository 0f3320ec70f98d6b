import fc from 'fast-check';

/**
 * Valid account numbers and tax ids, made up. The check digits are found by trial (the weighted sum over all digits,
 * the check digit with weight 1, is a multiple of 10 or 11), not by the formula of the code under test.
 */
const CBU_BANK_WEIGHTS = [7, 1, 3, 9, 7, 1, 3, 1];
const CBU_ACCOUNT_WEIGHTS = [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3, 1];
const TAX_ID_WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1];

export const ALL_DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const weightedSum = (digits: string, weights: readonly number[]): number =>
  Array.from(digits).reduce((sum, digit, i) => sum + Number(digit) * weights[i]!, 0);

function closed(block: string, weights: readonly number[], modulus: number): string | null {
  const fitting = ALL_DIGITS.filter((digit) => weightedSum(`${block}${digit}`, weights) % modulus === 0);
  if (fitting.length > 1) throw new Error('more than one check digit fits');
  return fitting.length === 0 ? null : `${block}${fitting[0]!}`;
}

export const digitsOf = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...ALL_DIGITS), { minLength: length, maxLength: length }).map((d) => d.join(''));

/** A CBU or CVU; one in three is a CVU (bank 000). Never 22 zeros. */
export const validAccount: fc.Arbitrary<string> = fc
  .tuple(fc.oneof({ weight: 2, arbitrary: digitsOf(3) }, fc.constant('000')), digitsOf(4), digitsOf(13))
  .map(
    ([bank, branch, account]) =>
      closed(bank + branch, CBU_BANK_WEIGHTS, 10)! + closed(account, CBU_ACCOUNT_WEIGHTS, 10)!,
  )
  .filter((number) => /[1-9]/.test(number));

/** Ten digits without a valid check digit; such tax ids are never issued. */
export const neverIssuedTaxIdBlock: fc.Arbitrary<string> = digitsOf(10).filter(
  (block) => closed(block, TAX_ID_WEIGHTS, 11) === null,
);

export const validTaxId = (prefix: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(prefix, digitsOf(8))
    .map(([two, eight]) => closed(two + eight, TAX_ID_WEIGHTS, 11))
    .filter((number) => number !== null);
