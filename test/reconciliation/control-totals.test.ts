import fc from 'fast-check';
import type { BookedTransfer } from '../../src/reconciliation/books';
import { compare } from '../../src/reconciliation/compare';
import { seeBreak } from '../../src/reconciliation/break-life';
import { inOrder } from '../../src/reconciliation/break';
import { tallyBreaks } from '../../src/reconciliation/tally';
import { NO_TOTALS, addToTotals, mergeTotals } from '../../src/reconciliation/control-totals';
import { notAskedOf, outcomeOf } from '../../src/reconciliation/sources-checked';
import type { Tally } from '../../src/reconciliation/report';
import { AS_OF, CONTEXT, cleanBooks } from './clean-books';
import { CORRUPTIONS } from './corruptions';

const someBooks = fc.array(
  fc.tuple(cleanBooks(), fc.constantFrom(null, ...CORRUPTIONS)).map(([clean, corruption]) => {
    const fits = corruption?.of.includes(clean.entry?.result?.status ?? null) ?? false;
    return fits ? corruption!.corrupt(clean, clean.entry!) : clean;
  }),
  { maxLength: 12 },
);
const totalsOf = (books: readonly BookedTransfer[]) => books.reduce(addToTotals, NO_TOTALS);
const centavos = (amount: string): bigint => BigInt(amount.replace('.', ''));
const sumOf = (tallies: readonly Tally[]) => ({
  count: tallies.reduce((sum, { count }) => sum + count, 0),
  centavos: tallies.reduce((sum, { amount }) => sum + centavos(amount), 0n),
});

test('each book’s words add up to all the transfers, and to what the journal holds', () => {
  fc.assert(
    fc.property(someBooks, (books) => {
      const totals = totalsOf(books);
      const ordered = books.map(({ entry }) => (entry === null ? 0n : centavos(entry.amount.value)));
      const all = { count: books.length, centavos: ordered.reduce((sum, one) => sum + one, 0n) };
      expect(sumOf([totals.transfers])).toEqual(all);
      for (const column of [totals.journal, totals.bank, totals.engine]) {
        expect(sumOf(Object.values(column))).toEqual(all);
      }
      const annulments = books.flatMap(({ entry }) => entry?.annulment ?? []);
      expect(totals.annulments.count).toBe(annulments.length);
      const lines = books.flatMap(({ statement }) => statement?.lines ?? []);
      expect(sumOf(Object.values(totals.statement)).count).toBe(lines.length);
    }),
    { numRuns: 300 },
  );
});

test('pages in any order and of any size give the same totals', () => {
  fc.assert(
    fc.property(someBooks, fc.nat(12), (books, cut) => {
      const [left, right] = [books.slice(0, cut), books.slice(cut)];
      expect(mergeTotals(totalsOf(right), totalsOf(left))).toEqual(totalsOf(books));
    }),
    { numRuns: 200 },
  );
});

test('money of another currency is counted and not summed', () => {
  const [clean] = fc.sample(cleanBooks('COMPLETED'), { numRuns: 1, seed: 1 });
  const entry = { ...clean!.entry!, amount: { currency: '840', value: '5.00' } };
  expect(addToTotals(NO_TOTALS, { ...clean!, entry }).transfers).toEqual({ count: 1, amount: '0.00' });
});

test('breaks: most severe first, tallied while they are not resolved', () => {
  const made = fc.sample(cleanBooks('COMPLETED'), { numRuns: 3, seed: 3 }).flatMap((clean, i) => {
    const names = ['FINAL_LATE', 'NO_ANSWER', 'RESULT_IS_NOT_FAILED'];
    const { corrupt } = CORRUPTIONS.find(({ subCase }) => subCase === names[i])!;
    return compare(corrupt(clean, clean.entry!), CONTEXT).map((found) => seeBreak(null, found, AS_OF).break);
  });
  expect(inOrder(made).map(({ class: name }) => name)).toEqual([
    'ANNULMENT_WITHOUT_FAILED',
    'LATE',
    'QUERY_ERROR',
  ]);
  expect(inOrder([...made].reverse())).toEqual(inOrder(made));
  const [late, ...rest] = made;
  const { byClass, bySeverity } = tallyBreaks([{ ...late!, state: 'resolved' }, ...rest]);
  expect(Object.keys(byClass).sort()).toEqual(['ANNULMENT_WITHOUT_FAILED', 'QUERY_ERROR']);
  expect(sumOf(Object.values(bySeverity)).count).toBe(2);
});

test('what could not be checked makes the run PARTIAL', () => {
  const [clean] = fc.sample(cleanBooks('COMPLETED'), { numRuns: 1, seed: 5 });
  const base: BookedTransfer = { ...clean!, run: { kind: 'missing' } };
  const reasons = (books: BookedTransfer) => notAskedOf(books).map(({ book, reason }) => `${book} ${reason}`);
  expect(reasons({ ...base, bank: { kind: 'not-asked', reason: 'NOTHING_RECORDED' } })).toEqual([]);
  expect(reasons({ ...base, bank: { kind: 'not-asked', reason: 'TOO_SOON' } })).toEqual(['bank TOO_SOON']);
  expect(reasons({ ...base, bank: { kind: 'not-recorded', refusal: 'giro: refused' } })).toEqual([
    'bank NOT_RECORDED',
  ]);
  expect(
    reasons({
      ...base,
      bank: { kind: 'no-answer', code: 'TIMEOUT', httpStatus: null, at: AS_OF },
      run: { kind: 'unknown' },
    }),
  ).toEqual(['bank NO_ANSWER', 'engine ENGINE_UNREACHABLE']);
  expect([outcomeOf(0, 0), outcomeOf(2, 0), outcomeOf(0, 1), outcomeOf(2, 1)]).toEqual([
    'CLEAN',
    'BREAKS',
    'PARTIAL',
    'PARTIAL',
  ]);
});
