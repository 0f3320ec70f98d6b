import fc from 'fast-check';
import { hasValidCheckDigits, parseBankAccount } from '../../src/domain/bank-account';
import type { BankAccountProblem } from '../../src/domain/bank-account';
import { ALL_DIGITS, digitsOf, validAccount } from './made-up-numbers';

const strict = (text: string) => parseBankAccount(text, { checkDigits: true });
const lax = (text: string) => parseBankAccount(text, { checkDigits: false });
const read = (digits: string, kind: 'CBU' | 'CVU') => ({ ok: true, digits, kind });
const refused = (problem: BankAccountProblem) => ({ ok: false, problem });

const VALID: readonly (readonly [string, 'CBU' | 'CVU'])[] = [
  ['0009001600000000000017', 'CVU'],
  ['0009001600000000000024', 'CVU'],
  ['0009001601234567890126', 'CVU'],
  ['9990001800000000000017', 'CBU'],
  ['3220001880500009999902', 'CBU'],
  // Check digit 0, which `10 − sum mod 10` without a further `mod 10` gets wrong.
  ['4320001001000313873006', 'CBU'],
  ['0000013000000000000178', 'CVU'],
  ['3220007000000000000130', 'CBU'],
];

test.each(VALID)('%s is a %s', (digits, kind) => {
  expect(strict(digits)).toEqual(read(digits, kind));
});

test.each(VALID)('each single wrong digit of %s is caught', (digits) => {
  for (let place = 0; place < digits.length; place++) {
    for (const digit of ALL_DIGITS.filter((d) => String(d) !== digits[place])) {
      const wrong = `${digits.slice(0, place)}${digit}${digits.slice(place + 1)}`;
      expect([wrong, strict(wrong)]).toEqual([wrong, refused('check-digit')]);
      expect(lax(wrong)).toMatchObject({ ok: true, digits: wrong });
    }
  }
});

test('every number with good check digits is accepted, each one with a digit changed is not', () => {
  const seenCheckDigits = new Set<string>();
  fc.assert(
    fc.property(validAccount, fc.nat({ max: 21 }), fc.integer({ min: 1, max: 9 }), (digits, place, shift) => {
      seenCheckDigits.add(digits[7]!).add(digits[21]!);
      expect(strict(digits)).toEqual(read(digits, digits.startsWith('000') ? 'CVU' : 'CBU'));
      const changed = (Number(digits[place]) + shift) % 10;
      const wrong = `${digits.slice(0, place)}${changed}${digits.slice(place + 1)}`;
      expect(strict(wrong).ok).toBe(false);
    }),
    { numRuns: 500 },
  );
  expect(seenCheckDigits.size).toBe(10);
});

test('exactly one in a hundred numbers of the same two blocks has good check digits', () => {
  fc.assert(
    fc.property(digitsOf(7), digitsOf(13), (bank, account) => {
      const good = ALL_DIGITS.flatMap((a) => ALL_DIGITS.map((b) => `${bank}${a}${account}${b}`)).filter(
        hasValidCheckDigits,
      );
      expect(good).toHaveLength(1);
    }),
    { numRuns: 50 },
  );
});

// A weakness of the rail's check digits, not of ours: the weights of neighbours differ by an even number.
test('a swap of neighbours is caught unless they differ by 5', () => {
  fc.assert(
    fc.property(validAccount, fc.constantFrom(0, 1, 2, 3, 4, 5, 8, 12, 15, 19), (digits, place) => {
      const [a, b] = [digits[place]!, digits[place + 1]!];
      fc.pre(a !== b);
      const swapped = digits.slice(0, place) + b + a + digits.slice(place + 2);
      expect(hasValidCheckDigits(swapped)).toBe(Math.abs(Number(a) - Number(b)) === 5);
    }),
  );
});

test('22 zeros pass both checks and are refused all the same', () => {
  const zeros = '0'.repeat(22);
  expect(hasValidCheckDigits(zeros)).toBe(true);
  expect(strict(zeros)).toEqual(refused('all-zeros'));
  expect(lax(zeros)).toEqual(refused('all-zeros'));
  expect(lax('0000000-0 0000000000000-0')).toEqual(refused('all-zeros'));
});

test('spaces and dashes are stripped wherever they are', () => {
  fc.assert(
    fc.property(
      validAccount,
      fc.array(fc.constantFrom('', ' ', '-', ' - '), { minLength: 23 }),
      (d, gaps) => {
        const spelled = Array.from(d, (digit, i) => gaps[i]! + digit).join('') + gaps[22]!;
        expect(strict(spelled)).toEqual(strict(d));
      },
    ),
  );
});

test.each([
  '',
  ' ',
  '-',
  '0009001600000000000017 0',
  '000900160000000000001',
  '00090016000000000000177',
  '00090016.00000000000017',
  '00090016/00000000000017',
  '00090016\t00000000000017',
  '0009001600000000000017\n',
  '00090016\u00a000000000000017',
  '00090016\u201300000000000017',
  '+009001600000000000017',
  '9.0016E+18',
  '000900160000000000001O',
  '٠٠٠٩٠٠١٦٠٠٠٠٠٠٠٠٠٠٠٠١٧',
  '1234567890',
])('%p is not 22 digits', (text) => {
  expect(strict(text)).toEqual(refused('not-22-digits'));
  expect(lax(text)).toEqual(refused('not-22-digits'));
});

test.each(['mi.alias.banco', 'PERRO.GATO.LORO', 'a12345', 'juan-perez.mp', ' mi.alias.banco '])(
  '%p is told to be an alias',
  (text) => {
    expect(strict(text)).toEqual(refused('alias'));
  },
);

test.each(['alias', 'mi alias banco', 'un.alias.de.mas.de.veinte', 'mi_alias', '123.456.789'])(
  '%p is neither an alias nor a number',
  (text) => {
    expect(strict(text)).toEqual(refused('not-22-digits'));
  },
);

test('any text is read or refused, and what is read is 22 digits', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9 -]{20,26}$/)), (text) => {
      const parsed = lax(text);
      if (parsed.ok) expect(parsed.digits).toMatch(/^[0-9]{22}$/);
    }),
  );
});
