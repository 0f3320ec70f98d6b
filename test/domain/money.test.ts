import fc from 'fast-check';
import { canonicalDecimal, formatAmount, parseOrderAmount, sameDecimal } from '../../src/domain/money';
import type { AmountProblem } from '../../src/domain/money';

const MAX_MINOR = 10n ** 15n - 1n;
const minor = fc.bigInt({ min: 1n, max: MAX_MINOR });

const accepted = (amountMinor: bigint) => ({ ok: true, amountMinor });
const refused = (problem: AmountProblem) => ({ ok: false, problem });

describe('an amount of an order', () => {
  test.each<[unknown, bigint]>([
    ['1500.25', 150025n],
    ['1500.2', 150020n],
    ['1500', 150000n],
    ['0.01', 1n],
    ['0.1', 10n],
    ['9999999999999.99', MAX_MINOR],
    [1500.25, 150025n],
    [0.01, 1n],
    [0.29, 29n],
    [1.005e3, 100500n],
    [1e3, 100000n],
    [999999999999.99, 99999999999999n],
    // 15 significant digits, the most a JSON number may have.
    [9999999999999.99, MAX_MINOR],
    [9007199254740, 900719925474000n],
  ])('%p is accepted', (input, amountMinor) => {
    expect(parseOrderAmount(input)).toEqual(accepted(amountMinor));
  });

  test.each<[unknown, AmountProblem]>([
    ['', 'not-a-decimal'],
    [' 1', 'not-a-decimal'],
    ['1 ', 'not-a-decimal'],
    ['1\n', 'not-a-decimal'],
    ['1 500', 'not-a-decimal'],
    ['1500,25', 'not-a-decimal'],
    ['1,500.25', 'not-a-decimal'],
    ['+1', 'not-a-decimal'],
    ['1e3', 'not-a-decimal'],
    ['1E3', 'not-a-decimal'],
    ['1.', 'not-a-decimal'],
    ['.5', 'not-a-decimal'],
    ['1.2.3', 'not-a-decimal'],
    ['$1', 'not-a-decimal'],
    ['0x10', 'not-a-decimal'],
    ['1_000', 'not-a-decimal'],
    ['١٢', 'not-a-decimal'],
    ['NaN', 'not-a-decimal'],
    ['Infinity', 'not-a-decimal'],
    // A number with leading zeros is no JSON number either; it more likely is a mistaken field than an amount.
    ['007.50', 'not-a-decimal'],
    ['00', 'not-a-decimal'],
    ['-1', 'not-positive'],
    ['-0.01', 'not-positive'],
    ['0', 'not-positive'],
    ['0.00', 'not-positive'],
    ['-0', 'not-positive'],
    ['1.001', 'too-many-decimals'],
    // As text a decimal place counts even when it is zero: it was written by someone who counts in thousandths.
    ['1500.2500', 'too-many-decimals'],
    ['0.001', 'too-many-decimals'],
    ['10000000000000', 'too-large'],
    ['10000000000000.00', 'too-large'],
    [0, 'not-positive'],
    [-0, 'not-positive'],
    [-1500.25, 'not-positive'],
    [1e-7, 'too-many-decimals'],
    [5e-324, 'too-many-decimals'],
    [1.005, 'too-many-decimals'],
    [0.1 + 0.2, 'too-many-significant-digits'],
    [0.29 * 100, 'too-many-significant-digits'],
    [1234567890123.456, 'too-many-significant-digits'],
    [9007199254740993, 'too-many-significant-digits'],
    [1e13, 'too-large'],
    [1e21, 'too-large'],
    [Number.MAX_VALUE, 'too-many-significant-digits'],
    [NaN, 'not-a-decimal'],
    [Infinity, 'not-a-decimal'],
    [-Infinity, 'not-a-decimal'],
    [null, 'not-a-decimal'],
    [undefined, 'not-a-decimal'],
    [true, 'not-a-decimal'],
    [150025n, 'not-a-decimal'],
    [['1'], 'not-a-decimal'],
    [{ value: '1' }, 'not-a-decimal'],
    [new String('1'), 'not-a-decimal'],
  ])('%p is refused: %s', (input, problem) => {
    expect(parseOrderAmount(input)).toEqual(refused(problem));
  });

  test('every amount survives writing and reading', () => {
    fc.assert(
      fc.property(minor, (amountMinor) => {
        const text = formatAmount(amountMinor);
        expect(text).toMatch(/^(0|[1-9][0-9]{0,12})\.[0-9]{2}$/);
        expect(parseOrderAmount(text)).toEqual(accepted(amountMinor));
      }),
    );
  });

  // Within 15 significant digits a double keeps the centavos: a caller who writes a number loses nothing.
  test('every amount survives as a JSON number', () => {
    fc.assert(
      fc.property(minor, (amountMinor) => {
        const number: unknown = JSON.parse(formatAmount(amountMinor));
        expect(parseOrderAmount(number)).toEqual(accepted(amountMinor));
      }),
    );
  });

  test('a number is judged by its value: never another amount than its own shortest text', () => {
    fc.assert(
      fc.property(fc.double(), (number) => {
        const parsed = parseOrderAmount(number);
        if (parsed.ok) expect(Number(formatAmount(parsed.amountMinor))).toBe(number);
      }),
    );
  });

  test('no text is read as another value than it shows', () => {
    const nearAmounts = fc.stringMatching(/^[-+ ]?[0-9]{0,15}[.,]?[0-9]{0,4}([eE][0-9]{1,2})?$/);
    fc.assert(
      fc.property(fc.oneof(nearAmounts, fc.string()), (text) => {
        const parsed = parseOrderAmount(text);
        if (!parsed.ok) return;
        expect(text).toMatch(/^[0-9]+(\.[0-9]{1,2})?$/);
        expect(sameDecimal(formatAmount(parsed.amountMinor), text)).toBe(true);
      }),
    );
  });
});

test.each<[bigint, string]>([
  [0n, '0.00'],
  [1n, '0.01'],
  [10n, '0.10'],
  [100n, '1.00'],
  [-1n, '-0.01'],
  [-150025n, '-1500.25'],
  [123456789012345678901234567890n, '1234567890123456789012345678.90'],
])('%p centavos are written %s', (amountMinor, text) => {
  expect(formatAmount(amountMinor)).toBe(text);
});

describe('canonical decimals', () => {
  test.each<[string, string]>([
    ['100.10', '100.1'],
    ['100.00', '100'],
    ['100', '100'],
    ['0.0', '0'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['-0e5', '0'],
    ['-1.50', '-1.5'],
    ['1.5e3', '1500'],
    ['1.001e2', '100.1'],
    ['1001E-1', '100.1'],
    ['1e+2', '100'],
    ['12e-5', '0.00012'],
    ['1.20e-1', '0.12'],
    ['-2.50e1', '-25'],
    ['9007199254740993', '9007199254740993'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalDecimal(text)).toBe(canonical);
  });

  test.each([
    '',
    ' 1',
    '+1',
    '01',
    '01e1',
    '-01.0e1',
    '1.',
    '.1',
    'e1',
    '1e',
    '1e1.5',
    '1e1e1',
    '1,5',
    '0x1',
    'NaN',
    'Infinity',
    '1e401',
    '1e-401',
    '1e99999999999999999999',
  ])('%p is none', (text) => {
    expect(canonicalDecimal(text)).toBeNull();
    expect(sameDecimal(text, text)).toBe(false);
  });

  const integer = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
  const scale = fc.integer({ min: 0, max: 25 });

  /** `digits · 10^-scale` in three spellings. */
  function spellings(digits: bigint, decimals: number, zeros: number): string[] {
    const sign = digits < 0n ? '-' : '';
    const text = (digits < 0n ? -digits : digits).toString().padStart(decimals + 1, '0');
    const whole = text.slice(0, text.length - decimals);
    const fraction = text.slice(text.length - decimals) + '0'.repeat(zeros);
    return [
      `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`,
      `${digits}e-${decimals}`,
      `${digits}${'0'.repeat(zeros)}E-${decimals + zeros}`.replace(/^(-?)0+(?=0)/, '$1'),
    ];
  }

  test('all spellings of a value have one canonical form, which is its own', () => {
    fc.assert(
      fc.property(integer, scale, fc.integer({ min: 0, max: 5 }), (digits, decimals, zeros) => {
        const forms = spellings(digits, decimals, zeros).map(canonicalDecimal);
        expect(forms[0]).not.toBeNull();
        expect(new Set(forms).size).toBe(1);
        expect(canonicalDecimal(forms[0]!)).toBe(forms[0]);
        expect(forms[0]).not.toMatch(/e|\.\d*0$|^-0$/);
      }),
    );
  });

  test('different values never have the same form', () => {
    fc.assert(
      fc.property(integer, integer, scale, scale, (a, b, aScale, bScale) => {
        const equal = a * 10n ** BigInt(bScale) === b * 10n ** BigInt(aScale);
        expect(sameDecimal(`${a}e-${aScale}`, `${b}e-${bScale}`)).toBe(equal);
      }),
    );
  });

  test('every double, as JavaScript writes it, keeps its value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        // `+ 0` takes the sign off a negative zero.
        expect(Number(canonicalDecimal(String(number)))).toBe(number + 0);
      }),
    );
  });

  test('any text is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const canonical = canonicalDecimal(text);
        if (canonical !== null) expect(Number(canonical)).toBe(Number(text) + 0);
      }),
    );
  });
});
