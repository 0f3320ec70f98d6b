import fc from 'fast-check';
import { parseTaxId } from '../../src/domain/tax-id';
import { ALL_DIGITS, neverIssuedTaxIdBlock, validTaxId } from './made-up-numbers';

const KNOWN_PREFIXES = ['20', '23', '24', '25', '26', '27', '30', '33', '34', '50', '51', '55'];

const strict = (text: string) => parseTaxId(text, { checkDigits: true });
const lax = (text: string) => parseTaxId(text, { checkDigits: false });
const WRONG_DIGIT = { ok: false, problem: 'check-digit' };
const NOT_11_DIGITS = { ok: false, problem: 'not-11-digits' };

const VALID = ['30714979732', '20218346414', '23244825664', '20509776742', '30707101020', '27361705039'];

test.each(VALID)('%s is valid', (digits) => {
  expect(strict(digits)).toEqual({ ok: true, digits, warning: null });
});

test.each(['20123456789', '27334312758'])('%s has a wrong digit', (digits) => {
  expect(strict(digits)).toEqual(WRONG_DIGIT);
  expect(lax(digits)).toEqual({ ok: true, digits, warning: null });
});

test.each(VALID)('each single wrong digit of %s is caught', (digits) => {
  for (let place = 0; place < digits.length; place++) {
    for (const digit of ALL_DIGITS.filter((d) => String(d) !== digits[place])) {
      const wrong = `${digits.slice(0, place)}${digit}${digits.slice(place + 1)}`;
      expect([wrong, strict(wrong)]).toEqual([wrong, WRONG_DIGIT]);
    }
  }
});

test('every number with a good digit and a known prefix is accepted without a warning', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(validTaxId(fc.constantFrom(...KNOWN_PREFIXES)), (digits) => {
      seen.add(digits[10]!);
      expect(strict(digits)).toEqual({ ok: true, digits, warning: null });
    }),
    { numRuns: 500 },
  );
  expect(seen.size).toBe(10);
});

test('an unknown prefix with a good digit is a warning, with a bad digit an error', () => {
  const prefix = fc
    .integer({ min: 0, max: 99 })
    .map((n) => String(n).padStart(2, '0'))
    .filter((two) => !KNOWN_PREFIXES.includes(two));
  fc.assert(
    fc.property(validTaxId(prefix), fc.integer({ min: 1, max: 9 }), (digits, shift) => {
      expect(strict(digits)).toEqual({ ok: true, digits, warning: 'unknown-prefix' });
      const wrong = `${digits.slice(0, 10)}${(Number(digits[10]) + shift) % 10}`;
      expect(strict(wrong)).toEqual(WRONG_DIGIT);
      expect(lax(wrong)).toEqual({ ok: true, digits: wrong, warning: 'unknown-prefix' });
    }),
  );
});

// Remainder 1 would need the digit 10. A 0 or a 9 in its place, as some validators take it, is no tax id.
test('numbers of the remainder that is never issued are refused with each digit', () => {
  fc.assert(
    fc.property(neverIssuedTaxIdBlock, (block) => {
      for (const digit of ALL_DIGITS) expect(strict(`${block}${digit}`)).toEqual(WRONG_DIGIT);
    }),
  );
});

test.each(['20-21834641-4', '20 21834641 4', ' 20218346414 ', '2-0-2-1-8-3-4-6-4-1-4'])(
  'spaces and dashes of %p are stripped',
  (text) => {
    expect(strict(text)).toEqual({ ok: true, digits: '20218346414', warning: null });
  },
);

test.each([
  '',
  '-',
  '2021834641',
  '202183464144',
  '20.21834641.4',
  '20/21834641/4',
  '20218346414\n',
  '20\t218346414',
  '2021834641O',
  '2.0218346414e10',
  '+0218346414',
  '２０２１８３４６４１４',
])('%p is not 11 digits', (text) => {
  expect(strict(text)).toEqual(NOT_11_DIGITS);
  expect(lax(text)).toEqual(NOT_11_DIGITS);
});

test('any text is read or refused, and what is read is 11 digits', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9 -]{9,14}$/)), (text) => {
      const parsed = lax(text);
      if (parsed.ok) expect(parsed.digits).toMatch(/^[0-9]{11}$/);
    }),
  );
});
