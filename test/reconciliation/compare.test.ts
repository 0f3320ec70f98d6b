import fc from 'fast-check';
import { compare, isConfirmed } from '../../src/reconciliation/compare';
import { DIFFERENCES, SUB_CASES } from '../../src/reconciliation/differences';
import type { BookedTransfer } from '../../src/reconciliation/books';
import { BREAK_CLASSES } from '../../src/reconciliation/break';
import { AS_OF, CONTEXT, cleanBooks, seen } from './clean-books';
import { CORRUPTIONS } from './corruptions';

const RUNS = Number(process.env['GIRO_PROPERTY_RUNS'] ?? 40);

test('books that agree give no break', () => {
  fc.assert(
    fc.property(cleanBooks(), (books) => {
      expect(compare(books, CONTEXT)).toEqual([]);
    }),
    { numRuns: RUNS * 25 },
  );
});

/** Orphans belong to no transfer; `orphans.test.ts` has them. */
const ORPHANS = ['NOTIFIED_DEBIT', 'UNCONFIRMED_DEBIT', 'DEBIT_ON_STATEMENT'];

test('there is a corruption for every difference, and so for every class', () => {
  const made = [...new Set(CORRUPTIONS.map(({ subCase }) => subCase)), ...ORPHANS];
  expect(made.sort()).toEqual([...SUB_CASES].sort());
  expect(new Set(SUB_CASES.map((subCase) => DIFFERENCES[subCase].class))).toEqual(new Set(BREAK_CLASSES));
});

describe.each(CORRUPTIONS)('$class, $subCase: $what', ({ class: breakClass, subCase, of, corrupt }) => {
  test('is exactly that, in whatever order the lines of the statement come', () => {
    fc.assert(
      fc.property(cleanBooks(...of), (clean) => {
        const books = corrupt(clean, clean.entry!);
        const found = compare(books, CONTEXT);
        expect(found.map((one) => [one.class, one.subCase])).toEqual([[breakClass, subCase]]);
        const { statement } = books;
        if (statement === null) return;
        const turned = { ...books, statement: { ...statement, lines: [...statement.lines].reverse() } };
        expect(compare(turned, CONTEXT)).toEqual(found);
      }),
      { numRuns: RUNS },
    );
  });

  test('contains ids and statuses, no account', () => {
    fc.assert(
      fc.property(cleanBooks(...of), (clean) => {
        const [found] = compare(corrupt(clean, clean.entry!), CONTEXT);
        const text = JSON.stringify(found);
        expect(text).not.toContain(clean.entry!.from);
        expect(text).not.toContain(clean.entry!.to);
        expect(found?.detail).toMatch(/^Transfer [0-9]+: .+\.$/);
        expect(found?.key.startsWith(`${breakClass}:${subCase}:`)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

const sample = (end: 'COMPLETED' | 'FAILED' | null) =>
  fc.sample(cleanBooks(end), { numRuns: 1, seed: 7 })[0]!;
const corruption = (subCase: string) => CORRUPTIONS.find((one) => one.subCase === subCase)!.corrupt;

test('what bank and statement both show is one break, the bank telling it', () => {
  const clean = sample('COMPLETED');
  const atBank = corruption('COMPLETED_NOT_FOUND')(clean, clean.entry!);
  const both = corruption('NOT_ON_STATEMENT')(atBank, clean.entry!);
  expect(compare(both, CONTEXT).map(({ subCase }) => subCase)).toEqual(['COMPLETED_NOT_FOUND']);
});

test('of two transfers with one movement id the one without a line on the statement is no second break', () => {
  const clean = sample('COMPLETED');
  const twice = corruption('SAME_MOVEMENT_ID')(clean, clean.entry!);
  const books = corruption('NOT_ON_STATEMENT')(twice, clean.entry!);
  expect(compare(books, CONTEXT).map(({ subCase }) => subCase)).toEqual(['SAME_MOVEMENT_ID']);
});

test('further errors of the journal are separate breaks', () => {
  const clean = sample('FAILED');
  const annulment = { ...clean.entry!.annulment!, amount: { currency: '032', value: '99999999.99' } };
  const result = { ...clean.entry!.result!, amount: { currency: '032', value: '99999999.98' } };
  const books = { ...clean, entry: { ...clean.entry!, annulment, result } };
  expect(compare(books, CONTEXT).map(({ subCase }) => subCase)).toEqual([
    'AMOUNT_IN_ANNULMENT',
    'AMOUNT_IN_RESULT',
  ]);
});

test('a lost run alone: what the bank says of it is taken up by the run that is started again', () => {
  const clean = sample(null);
  const lost = corruption('RUN_MISSING')(corruption('FAILED_ANSWER')(clean, clean.entry!), clean.entry!);
  expect(compare(lost, CONTEXT).map(({ subCase }) => subCase)).toEqual(['RUN_MISSING']);
});

test('a final whose amount differs at the bank: that class, unless the status contradicts too', () => {
  const found = (decidedBy: 'bank' | 'operators', status: string) => {
    const clean = sample('COMPLETED');
    const entry = { ...clean.entry!, result: { ...clean.entry!.result!, decidedBy } };
    const movement = seen(clean.originId, status, { echo: 'mismatch', echoFields: ['amount'] });
    const bank = { kind: 'movement', movement, source: 'asked', at: AS_OF } as const;
    return compare({ ...clean, entry, bank }, CONTEXT).map(({ subCase }) => subCase);
  };
  expect(found('bank', 'COMPLETED')).toEqual(['AMOUNT_AT_BANK']);
  expect(found('bank', 'FAILED')).toEqual(['COMPLETED_THEN_FAILED']);
  // They closed it on this very answer.
  expect(found('operators', 'COMPLETED')).toEqual([]);
});

test('need not be asked again: ended, answered, and no break but LATE', () => {
  const clean = sample('COMPLETED');
  const movement = seen(clean.originId, 'COMPLETED');
  const answered = { ...clean, bank: { kind: 'movement', movement, source: 'asked', at: AS_OF } } as const;
  const confirmed = (books: BookedTransfer) => isConfirmed(books, compare(books, CONTEXT));
  expect(confirmed(answered)).toBe(true);
  expect(confirmed(corruption('FINAL_LATE')(answered, clean.entry!))).toBe(true);
  expect(confirmed({ ...clean, bank: { kind: 'not-asked', reason: 'TOO_SOON' } })).toBe(false);
  expect(confirmed(corruption('NO_ANSWER')(clean, clean.entry!))).toBe(false);
  expect(confirmed(corruption('COMPLETED_THEN_FAILED')(clean, clean.entry!))).toBe(false);
  expect(confirmed(sample(null))).toBe(false);
});
