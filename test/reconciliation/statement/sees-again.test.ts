import type { StatementLine } from '../../../src/reconciliation/books';
import { accountMark } from '../../../src/reconciliation/statement/line-reader';
import {
  observeStatement,
  ownLines,
  seesAgain,
} from '../../../src/reconciliation/statement/observe-statement';

/** Which later statement resolves what an earlier one showed. */

const [OURS, OTHER, TO] = ['1'.repeat(22), '2'.repeat(22), '3'.repeat(22)] as const;
const entry = { from: OURS, to: TO, openedAt: '2026-01-30T12:00:00Z', finalAt: '2026-01-30T12:01:00Z' };
const line = (direction: 'debit' | 'credit', rest: Partial<StatementLine> = {}): StatementLine => ({
  ...{ line: 2, originId: 7, movementId: null, networkId: null, direction, account: null },
  ...{ amount: { currency: '032', value: '1.00' }, bookedAt: '2026-01-30T12:00:00Z' },
  ...{ counterpartyAccount: null, ...rest },
});
const january = { from: '2026-01-01T03:00:00Z', to: '2026-02-01T02:00:00Z' };
const february = { from: '2026-02-01T04:00:00Z', to: '2026-02-28T03:00:00Z' };
const bothMonths = { from: january.from, to: february.to };
type Period = typeof january;

const sees = (
  subCase: string,
  at: string,
  period: Period,
  lines: readonly StatementLine[] = [],
  { badLines = 0, accounts = [OURS] as readonly string[] | null } = {},
): boolean => {
  const statement = {
    sha256: 'f'.repeat(64),
    period,
    badLines,
    accounts: accounts?.map(accountMark) ?? null,
  };
  const known = { subCase, evidence: { sha256: null, at } };
  return seesAgain(observeStatement(statement, entry, lines), entry, known);
};
const JANUARY = '2026-01-30T12:00:00Z';
const FEBRUARY = '2026-02-03T12:00:00Z';

test.each<[string, boolean, boolean]>([
  ['a file of the same time and account', sees('DEBITED_TWICE', JANUARY, january), true],
  ['one of another account', sees('DEBITED_TWICE', JANUARY, january, [], { accounts: [OTHER] }), false],
  ['of nobody knows which account', sees('DEBITED_TWICE', JANUARY, january, [], { accounts: null }), false],
  [
    'of nobody knows which account, with a line of it',
    sees('DEBITED_TWICE', JANUARY, january, [line('debit')], { accounts: null }),
    true,
  ],
  [
    'one with a line that cannot be read',
    sees('DEBITED_TWICE', JANUARY, january, [], { badLines: 1 }),
    false,
  ],
  ['one that begins behind the order', sees('DEBITED_TWICE', FEBRUARY, february, [line('debit')]), false],
  [
    'one that ends before the last line it rests on',
    sees('COMPLETED_BUT_RETURNED', FEBRUARY, january),
    false,
  ],
  [
    'one that was written on the day of that line, by days',
    sees('FAILED_BUT_DEBITED', '2026-01-31T03:00:00Z', { ...january, to: '2026-01-31T03:00:00Z' }),
    false,
  ],
  [
    'one that ends a day after that line, by days',
    sees('FAILED_BUT_DEBITED', '2026-01-31T03:00:00Z', { ...january, to: '2026-02-01T03:00:00Z' }),
    true,
  ],
  ['one of all that time', sees('COMPLETED_BUT_RETURNED', FEBRUARY, bothMonths), true],
  ['a debit that is booked later', sees('NOT_ON_STATEMENT', JANUARY, february, [line('debit')]), true],
  [
    'a debit among lines that cannot be read',
    sees('NOT_ON_STATEMENT', JANUARY, january, [line('debit')], { badLines: 1 }),
    true,
  ],
  ['a file that does not cover it', sees('NOT_ON_STATEMENT', JANUARY, february), false],
  ['a return in the next file', sees('FAILED_BUT_DEBITED', JANUARY, february, [line('credit')]), true],
  ['a return says nothing of two debits', sees('DEBITED_TWICE', JANUARY, february, [line('credit')]), false],
])('%s', (_what, seen, expected) => {
  expect(seen).toBe(expected);
});

test('money that arrives at another account of ours was not returned', () => {
  const debit = line('debit', { account: accountMark(OURS) });
  const back = line('credit', { account: accountMark(OURS), counterpartyAccount: TO });
  const arrived = line('credit', { account: accountMark(TO) });
  const unknownAccount = line('credit', { counterpartyAccount: OURS });
  expect(ownLines(entry, [debit, back, arrived, unknownAccount])).toEqual([debit, back]);
});
