import type { Break } from '../../src/reconciliation/break';
import type { Report } from '../../src/reconciliation/report';
import { ReconciledBooks } from './support/reconciled-books';
import type { BookedTransfer } from './support/reconciled-books';

/** Statements of the bank through the journal, from the file on: what each file shows, and what it does not prove. */

const [A, B] = ['0009001600000000000017', '0009001600000000000024'] as const;
const HEADER = 'Fecha;Referencia;Nº Movimiento;Id de red;Débito;Crédito;CBU';
const MAPPING = {
  ...{ encoding: 'latin1', delimiter: ';', decimal: ',', date: 'yyyy-MM-dd HH:mm', utcOffset: '+00:00' },
  columns: {
    ...{ bookedAt: 'Fecha', originId: 'Referencia', movementId: 'Nº Movimiento', networkId: 'Id de red' },
    ...{ debit: 'Débito', credit: 'Crédito', counterpartyAccount: 'CBU' },
  },
};
const DAY_MS = 86_400_000;
/** Of all tests of this file, which may run over midnight. */
const TODAY_MS = Date.now();

/** Noon of so many days ago. */
const day = (ago: number, hour = 12): string =>
  `${new Date(TODAY_MS - ago * DAY_MS).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00:00.000Z`;
const at = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

let books: ReconciledBooks;
beforeAll(async () => (books = await ReconciledBooks.open()));
afterAll(() => books.close());

interface Line {
  readonly at: string;
  readonly originId?: number;
  readonly movementId?: string;
  readonly networkId?: string;
  readonly debit?: string;
  readonly credit?: string;
}

/** A file in latin1 that spans these days whatever stands in it: its first and last lines are deposits of others. */
const read = (
  from: string,
  to: string,
  lines: readonly Line[],
  mapping: object,
  fromAccounts: readonly string[] | null = null,
): Promise<number> => {
  const all = [{ at: from, credit: '1,00' }, ...lines, { at: to, credit: '1,00' }] as Line[];
  const rows = all.map((one) =>
    [
      ...[at(one.at), one.originId ?? '', one.movementId ?? '', one.networkId ?? ''],
      ...[one.debit ?? '0,00', one.credit ?? '0,00', ''],
    ].join(';'),
  );
  return books.statement(
    Buffer.from([HEADER, ...rows].join('\r\n'), 'latin1'),
    { ...MAPPING, ...mapping },
    fromAccounts,
  );
};
const debit = ({ movementId }: BookedTransfer, ago: number): Line => ({
  ...{ at: day(ago, 13), movementId, debit: '1500,25' },
});
const credit = ({ movementId }: BookedTransfer, ago: number): Line => ({
  ...{ at: day(ago, 13), movementId, credit: '1500,25' },
});
/** Without LATE: an annulment is written now, long after its order. */
const of = (report: Report, { originId }: BookedTransfer): string[] =>
  report.breaks
    .filter((one) => one.originId === originId && one.class !== 'LATE')
    .map(({ subCase, state }) => `${subCase} ${state}`);
const run = async (statementId: number, input: object = {}): Promise<Report> =>
  books.reconcile({ statementId, ...input });
const history = async ({ key }: Pick<Break, 'key'>): Promise<string[]> =>
  (await books.db.journal.breakHistory(key)).map(({ kind }) => kind);

test('absence is checked over all the time of the statement, and reported for its own account alone', async () => {
  // Long before the window of the run, and found in order by a run of that time.
  const here = await books.book({ openedAt: day(20) });
  const gone = await books.book({ openedAt: day(20) });
  const ofB = await books.book({ openedAt: day(20), from: B });
  const tooLate = await books.book({ openedAt: day(11) });
  await books.reconcile();
  const before = books.asked.length;
  const lines = [debit(here, 20)];

  // The account of the file is unknown: it proves nothing.
  const unknown = await run(await read(day(25), day(10), lines, {}));
  expect([here, gone, ofB].map((one) => of(unknown, one))).toEqual([[], [], []]);
  expect(books.notes.join('')).toContain('its account is unknown');

  // Nor does one of a company with several, whose mapping says nothing.
  expect(of(await run(await read(day(25), day(10), [], {}, [A, B])), ofB)).toEqual([]);

  // A mapping without accounts stands for the only account in FROM_ACCOUNTS.
  const ofAccountB = await run(await read(day(25), day(10), [], {}, [B]));
  expect(books.notes.join('')).not.toContain('its account is unknown');
  expect([here, gone, ofB].map((one) => of(ofAccountB, one))).toEqual([[], [], ['NOT_ON_STATEMENT open']]);
  const ofAccountA = await run(await read(day(25), day(10), lines, { accounts: [A] }));
  expect([here, gone, ofB, tooLate].map((one) => of(ofAccountA, one))).toEqual([
    ...[[], ['NOT_ON_STATEMENT open'], ['NOT_ON_STATEMENT open'], []],
  ]);
  expect(ofAccountA.totals.bank).toMatchObject({ COMPLETED: { count: 4 } });
  // They had been found in order: the statement causes no new inquiry.
  expect(books.asked.length).toBe(before);

  // A statement of the other account resolves nothing of this one; the debit in a later file does.
  const again = await run(await read(day(25), day(10), [debit(ofB, 19)], { accounts: [B] }));
  expect([gone, ofB].map((one) => of(again, one))).toEqual([['NOT_ON_STATEMENT open'], []]);
  const later = await run(await read(day(10, 1), day(5), [debit(gone, 9)], { accounts: [A] }));
  expect(of(later, gone)).toEqual([]);
  expect(await history({ key: `MISSING_AT_BANK:NOT_ON_STATEMENT:${gone.originId}` })).toEqual([
    ...['opened', 'resolved'],
  ]);
});

test('a bank that writes 0001-01-01 and 9999-12-31 for no date: the run ends, and absence proves nothing', async () => {
  const missing = await books.book({ openedAt: day(20) });
  const lines = ['0001-01-01T00:00', '9999-12-31T23:00'].map((no) => ({ at: no, debit: '7,00' }));
  const report = await run(await read(day(25), day(10), lines, { accounts: [A], utcOffset: '-03:00' }));
  expect(of(report, missing)).toEqual([]);
  expect(books.notes.join('')).toContain('2 lines cannot be read');
});

test('a statement of four months ago causes no inquiry', async () => {
  const old = await books.book({ openedAt: day(120) });
  await books.book({ openedAt: day(120) });
  const before = books.asked.length;
  const report = await run(await read(day(122), day(118), [debit(old, 120)], { accounts: [A] }));
  expect(report.totals.bank).toMatchObject({ COMPLETED: { count: 2 } });
  expect(report.breaks.map(({ subCase }) => subCase)).toContain('NOT_ON_STATEMENT');
  expect(books.asked.length).toBe(before);
});

test('a return in the next file; a debit that was not paid, resolved by its return', async () => {
  const paid = await books.book({ openedAt: day(20) });
  const failed = await books.book({ openedAt: day(20), status: 'FAILED' });
  const first = await run(
    await read(day(25), day(15), [debit(paid, 20), debit(failed, 20)], { accounts: [A] }),
  );
  expect([paid, failed].map((one) => of(first, one))).toEqual([[], ['FAILED_BUT_DEBITED open']]);
  const second = await run(
    await read(day(15, 14), day(5), [credit(paid, 14), credit(failed, 14)], { accounts: [A] }),
  );
  expect([paid, failed].map((one) => of(second, one))).toEqual([['COMPLETED_BUT_RETURNED open'], []]);
  // The first file again ends before the return: it says nothing of it. Nor does one of another account.
  const again = await run(await read(day(25), day(15), [debit(paid, 20)], { accounts: [A] }));
  expect(of(again, paid)).toEqual(['COMPLETED_BUT_RETURNED open']);
  const ofB = await run(await read(day(25), day(3), [], { accounts: [B] }));
  expect(of(ofB, paid)).toEqual(['COMPLETED_BUT_RETURNED open']);
  // A statement of the whole period without the return resolves the break; one with the return reopens it.
  const mended = await run(await read(day(25), day(3), [debit(paid, 20)], { accounts: [A] }));
  expect(of(mended, paid)).toEqual([]);
  const back = await run(await read(day(25), day(3), [debit(paid, 20), credit(paid, 14)], { accounts: [A] }));
  expect(of(back, paid)).toEqual(['COMPLETED_BUT_RETURNED open']);
  expect(await history({ key: `STATE_MISMATCH:COMPLETED_BUT_RETURNED:${paid.originId}` })).toEqual([
    ...['opened', 'resolved', 'reopened'],
  ]);
});

test('by network id; a payment between two accounts of ours arrives, and is not returned', async () => {
  const own = await books.book({ openedAt: day(20), from: A, to: B });
  const byNetwork = ({ networkId }: BookedTransfer, line: Line): Line => ({ ...line, networkId });
  const ofA = await run(
    await read(day(25), day(15), [byNetwork(own, { at: day(20, 13), debit: '1500,25' })], { accounts: [A] }),
  );
  const ofB = await run(
    await read(day(25), day(15), [byNetwork(own, { at: day(20, 13), credit: '1500,25' })], { accounts: [B] }),
  );
  expect([of(ofA, own), of(ofB, own)]).toEqual([[], []]);
  expect(ofA.totals.statement).toEqual({ DEBIT: { count: 1, amount: '1500.25' } });
  expect(ofB.totals.statement).toEqual({ CREDIT: { count: 1, amount: '1500.25' } });
  // Debited from the account that was to get it.
  const wrong = await run(
    await read(day(25), day(15), [byNetwork(own, { at: day(20, 13), debit: '1500,25' })], { accounts: [B] }),
  );
  expect(of(wrong, own)).toEqual(['SOURCE_ON_STATEMENT open']);
});

test('debits without any id of two accounts, on one day and of one amount, are two', async () => {
  const keys = async (account: string) => {
    const report = await run(
      await read(day(2), day(1), [{ at: day(1), debit: '75,50' }], { accounts: [account] }),
    );
    // Those of other statements are listed while they are open, as they were seen last.
    const seen = report.breaks.filter(({ lastSeen }) => lastSeen === report.asOf);
    return seen.filter(({ amount }) => amount?.value === '75.50').map(({ key }) => key);
  };
  const [first, second] = [await keys(A), await keys(B)];
  expect([first.length, second.length]).toEqual([1, 1]);
  expect(first).not.toEqual(second);
  expect(await keys(A)).toEqual(first);
});

test('transfers of the statement’s time are listed page by page, each once', async () => {
  const wanted: number[] = [];
  // Two at one moment.
  for (const ago of [41, 42, 42, 43, 44]) wanted.push((await books.book({ openedAt: day(ago) })).originId);
  await books.book({ openedAt: day(42), status: 'DELAYED' });
  const statementId = await read(day(45), day(40), [], { accounts: [A] });
  const asOf = '2026-01-05T09:00:00Z';
  const { journal } = books.db;
  const to = `${new Date().toISOString().slice(0, 19)}Z`;
  await journal.openRun({ ...{ asOf, from: asOf, to, statementId }, isDefault: false });
  await books.db.sql('delete from giro.reconciliation_item');
  let pages = 0;
  let after: Awaited<ReturnType<typeof journal.listTimeOfStatement>> = null;
  do {
    after = await journal.listTimeOfStatement({ asOf, statementId, after, limit: 2 });
    pages += 1;
  } while (after !== null);
  const { rows } = await books.db.sql('select origin_id from giro.reconciliation_item order by 1');
  expect(rows.map((row) => Number(row['origin_id']))).toEqual(wanted);
  expect(pages).toBe(4);
});
