import { formatReport } from '../../src/reconciliation/reports/format-report';
import { giro } from '../commands/support/memory-io';
import { ReconciledBooks } from './support/reconciled-books';

/** A later run deletes old details of runs; the breaks stay. */

const DAY_MS = 86_400_000;
/** Of all tests of this file, which may run over midnight. */
const TODAY_MS = Date.now();
const day = (ago: number): string => new Date(TODAY_MS - ago * DAY_MS).toISOString();
const ROWS = ['reconciled', 'break_seen', 'not_asked', 'statement_line'] as const;
const MAPPING = {
  date: 'yyyy-MM-dd',
  columns: { bookedAt: 'day', movementId: 'movement', debit: 'debit', credit: 'credit' },
};

let books: ReconciledBooks;
beforeAll(async () => (books = await ReconciledBooks.open()));
afterAll(() => books.close());

const counts = async (): Promise<readonly number[]> => {
  const found: number[] = [];
  for (const table of ROWS) {
    const { rows } = await books.db.sql(`select count(*)::integer as count from giro.${table}`);
    found.push(Number(rows[0]?.['count']));
  }
  return found;
};
const command = (...args: string[]) => giro(args, { env: { DATABASE_URL: books.db.url } });

/** Sets the clock of the run back; `--as-of` alone may lie long before the run. */
async function aged(asOf: string, statementId: number, ago: number): Promise<void> {
  for (const [table, text] of [
    ['reconciliation', 'update giro.reconciliation set started_at = $2 where as_of = $1'],
    ['statement', 'update giro.statement set recorded_at = $2 where id = $1'],
  ] as const) {
    await books.db.sql(`alter table giro.${table} disable trigger append_only`);
    await books.db.sql(text, [table === 'statement' ? statementId : asOf, day(ago)]);
    await books.db.sql(`alter table giro.${table} enable always trigger append_only`);
  }
}

test('of a run older than RECONCILE_KEEP the head remains; breaks, histories and younger runs stay as they are', async () => {
  const booked = await books.book({ openedAt: day(1) });
  const text = ['day,movement,debit,credit', `${day(1).slice(0, 10)},990099,75.50,`].join('\n');
  const statementId = await books.statement(text, MAPPING);
  // An old moment, reconciled today: nothing of it is old.
  const late = await books.reconcile({ asOf: '2025-06-01T09:00:00Z' });
  const old = await books.reconcile({ statementId });
  expect(old.breaks).toHaveLength(1);
  await aged(old.asOf, statementId, 89);
  const young = await books.reconcile();
  const before = await counts();
  expect(before.every((count, index) => count > 0 || ROWS[index] === 'not_asked')).toBe(true);

  await aged(old.asOf, statementId, 91);
  const last = await books.reconcile();
  const after = await counts();
  expect(after[ROWS.indexOf('statement_line')]).toBe(0);
  expect(await books.db.journal.report(old.asOf)).toBeNull();
  for (const report of [late, young, last]) {
    expect(await books.db.journal.report(report.asOf)).toEqual(report);
  }
  // No later run checks it again.
  const emptied = await books.db.sql('select as_of from giro.reconciliation_emptied');
  expect(emptied.rows).toEqual([{ as_of: new Date(old.asOf) }]);
  expect(await books.db.journal.nextToForget()).toBeNull();
  const { rows } = await books.db.sql('select distinct as_of from giro.reconciled where as_of = $1', [
    old.asOf,
  ]);
  expect(rows).toEqual([]);

  for (const args of [
    ['show', old.asOf],
    ['show', old.asOf, '--not-asked'],
  ]) {
    const { code, stderr } = await command('reconcile', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain('is no longer kept (RECONCILE_KEEP): it ended as BREAKS, 1 opened, 0 resolved');
  }
  const shown = await command('reconcile', 'show', young.asOf, '--json');
  expect(shown.stdout).toBe(formatReport(young, 'json'));
  const [known] = old.breaks;
  const breaks = JSON.parse((await command('reconcile', 'breaks', '--json')).stdout) as { key: string }[];
  expect(breaks.map(({ key }) => key)).toContain(known?.key);
  expect(await books.db.journal.breakHistory(known?.key ?? '')).toHaveLength(1);
  expect(await books.db.journal.statement(statementId)).toMatchObject({ bookings: 1 });
  expect(books.asked).toContain(booked.originId);
  // Its absence from this report means nothing.
  await expect(books.reconcile({ statementId })).rejects.toThrow('its lines are no longer kept');
});

test.each(ROWS)('nobody takes a younger row out of %s, nor changes one', async (table) => {
  const statementId = await books.statement('day,movement,debit,credit\n2026-01-05,990098,75.50,', MAPPING);
  const { asOf } = await books.reconcile({ statementId });
  // The run has ended, so its guard has to be off.
  await books.db.sql(
    `set local session_replication_role = replica;
     insert into giro.not_asked (as_of, step, origin_id, book, reason) values ('${asOf}', 1, 1, 'bank', 'NO_ANSWER')`,
  );
  for (const change of [
    `delete from giro.${table}`,
    `update giro.${table} set ${table === 'statement_line' ? 'line' : 'step'} = 7`,
  ]) {
    await expect(books.db.sql(change)).rejects.toMatchObject({ code: 'GR003' });
  }
});
