import fc from 'fast-check';
import type { StatementLine } from '../../../src/reconciliation/books';
import { accountMark } from '../../../src/reconciliation/statement/line-reader';
import { BookingOrdinals } from '../../../src/reconciliation/statement/booking-ordinals';
import { covers } from '../../../src/reconciliation/statement/observe-statement';
import { matchLines } from '../../../src/reconciliation/statement/match-lines';
import { suggestFor } from '../../../src/reconciliation/statement/suggest';

const line = (number: number, rest: Partial<StatementLine> = {}): StatementLine => ({
  line: number,
  originId: null,
  movementId: null,
  networkId: null,
  direction: 'debit',
  amount: { currency: '032', value: '10.00' },
  bookedAt: '2026-03-10T03:00:00.000Z',
  account: null,
  counterpartyAccount: null,
  ...rest,
});
const ids = (originId: number, movementId: string | null = null, networkId: string | null = null) => ({
  originId,
  movementId,
  networkId,
});

test('by originId, then movement id, then network id; what has none is left', () => {
  const known = [ids(3, 'M3', 'N3'), ids(2, 'M2', 'N2'), ids(1, 'M1', 'N1')];
  const lines = [
    line(2, { originId: 1, movementId: 'M2' }),
    line(3, { originId: 99, movementId: 'M2', networkId: 'N3' }),
    line(4, { networkId: 'N3' }),
    line(5, { movementId: 'M9', networkId: 'N9', originId: 99 }),
    line(6),
  ];
  const { matched, unmatched } = matchLines(lines, known);
  expect(matched.map((one) => [one.line.line, one.originId])).toEqual([
    [2, 1],
    [3, 2],
    [4, 3],
  ]);
  expect(unmatched.map((one) => one.line)).toEqual([5, 6]);
});

test('no line is lost or counted twice, and the order of the transfers does not matter', () => {
  const id = fc.option(fc.constantFrom('A', 'B', 'C'), { nil: null });
  const transfers = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 6 }), id, id), {
    selector: ([originId]) => originId,
  });
  const someLines = fc.array(fc.tuple(fc.option(fc.integer({ min: 1, max: 8 }), { nil: null }), id, id));
  fc.assert(
    fc.property(transfers, someLines, (known, drawn) => {
      const transferIds = known.map((one) => ids(...one));
      const lines = drawn.map(([originId, movementId, networkId], i) =>
        line(i, { originId, movementId, networkId }),
      );
      const found = matchLines(lines, transferIds);
      const all = [...found.matched.map((one) => one.line), ...found.unmatched];
      expect(all.sort((a, b) => a.line - b.line)).toEqual(lines);
      expect(matchLines(lines, [...transferIds].reverse())).toEqual(found);
    }),
  );
});

test('equal bookings without an id are numbered, those with one are not; too many are refused', () => {
  const ordinals = new BookingOrdinals();
  const other = { amount: { currency: '032', value: '11.00' } };
  const found = [line(2), line(3, other), line(4), line(5, { movementId: 'M1' }), line(6)].map((one) =>
    ordinals.next(one),
  );
  expect(found).toEqual([1, 1, 2, 1, 3]);
  // Two accounts may have the same sum on the same day.
  expect(ordinals.next(line(7, { account: '01234567' }))).toBe(1);
  const fill = () => {
    for (let i = 0; i <= 100_000; i += 1) ordinals.next(line(i, { bookedAt: String(i) }));
  };
  expect(fill).toThrow('line 99997: more than 100,000');
});

test('suggestions: same amount, not another account, about then; nearest first, at most five', () => {
  const [ACCOUNT, OURS] = ['1'.repeat(22), '5'.repeat(22)];
  const candidate = (originId: number, day: number, rest: object = {}) => ({
    originId,
    amount: { currency: '032', value: '10.00' },
    from: OURS,
    to: ACCOUNT,
    openedAt: `2026-03-${String(day).padStart(2, '0')}T12:00:00.000Z`,
    ...rest,
  });
  const candidates = [
    candidate(1, 5),
    candidate(2, 7),
    candidate(3, 10),
    candidate(4, 12),
    candidate(5, 10, { amount: { currency: '032', value: '10.01' } }),
    candidate(6, 10, { amount: { currency: '840', value: '10.00' } }),
    candidate(7, 9, { to: '2'.repeat(22) }),
  ];
  expect(suggestFor(line(2), candidates)).toEqual([3, 7, 2]);
  expect(suggestFor(line(2, { counterpartyAccount: ACCOUNT }), candidates)).toEqual([3, 2]);
  expect(suggestFor(line(2, { account: accountMark(OURS) }), candidates)).toEqual([3, 7, 2]);
  expect(suggestFor(line(2, { account: accountMark(ACCOUNT) }), candidates)).toEqual([]);
  const many = Array.from({ length: 9 }, (_, i) => candidate(i + 1, 10));
  expect(suggestFor(line(2), many)).toEqual([1, 2, 3, 4, 5]);
});

test.each([
  ['from before the order to a day after the end', '2026-03-03T00:00:00Z', '2026-03-05T12:00:00Z', 0, true],
  ['not to the end of that day', '2026-03-03T00:00:00Z', '2026-03-05T11:59:59Z', 0, false],
  ['begins after the order', '2026-03-04T11:00:01Z', '2026-03-09T00:00:00Z', 0, false],
  ['lines that could not be read', '2026-03-03T00:00:00Z', '2026-03-09T00:00:00Z', 1, false],
])('a statement %s covers: %s', (_, from, to, badLines, expected) => {
  const [own, other] = ['1'.repeat(22), '2'.repeat(22)];
  const entry = { from: own, openedAt: '2026-03-04T11:00:00Z', finalAt: '2026-03-04T12:00:00Z' };
  const statement = { period: { from, to }, badLines, accounts: [own, other].map(accountMark) };
  expect(covers(statement, entry)).toBe(expected);
  expect(covers({ ...statement, period: null }, entry)).toBe(false);
  expect(covers(statement, { ...entry, finalAt: null })).toBe(false);
  expect(covers({ ...statement, accounts: [accountMark(other)] }, entry)).toBe(false);
  expect(covers({ ...statement, accounts: null }, entry)).toBe(false);
});
