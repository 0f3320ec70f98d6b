import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import type { StepOutcome } from '../../src/journal/statements/reconciliation-runs';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { aResult, answered, ask, openNew } from './support/transfers';

/** Lists that are longer than what is read at a time. */

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

const MANY = 12_000;
const RUN = {
  ...{ asOf: '2026-03-03T09:00:00Z', from: '2026-03-01T00:00:00Z', to: '2026-03-03T00:00:00Z' },
  ...{ isDefault: false, statementId: null },
};

/** All opened at one moment, which falls into the window of `RUN`. */
const bookMany = () =>
  db.sql(
    `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, opened_at)
     select id, repeat('a', 64), '{}', repeat('b', 64), '2026-03-02 12:00+00' from generate_series(1, ${MANY}) id`,
  );
const listed = async (asOf: string): Promise<number> => (await db.journal.runProgress(asOf))?.total ?? 0;

test('a run lists every transfer of its window, page by page, with all that is open when nobody chose the window', async () => {
  await bookMany();
  await openNew(db.journal);
  await db.journal.openRun(RUN);
  expect(await listed(RUN.asOf)).toBe(MANY);
  const all = { ...RUN, asOf: '2026-03-03T10:00:00Z', from: '2026-03-02T23:00:00Z', isDefault: true };
  await db.journal.openRun(all);
  expect(await listed(all.asOf)).toBe(MANY);
});

test('an opening that broke off is taken up; a list that was complete is not made again', async () => {
  await bookMany();
  await db.sql(
    `insert into giro.reconciliation (as_of, from_at, to_at, is_default_window) values ($1, $2, $3, false)`,
    [RUN.asOf, RUN.from, RUN.to],
  );
  await db.sql('insert into giro.reconciliation_item (as_of, origin_id) values ($1, 1), ($1, 2)', [RUN.asOf]);
  // The window of the first opening counts.
  await db.journal.openRun({ ...RUN, from: RUN.to });
  expect(await listed(RUN.asOf)).toBe(MANY);
  await db.sql('delete from giro.reconciliation_item');
  await db.journal.openRun(RUN);
  expect(await db.sql('select from giro.reconciliation_item')).toMatchObject({ rowCount: 0 });
});

test('an opening that lags behind adds nothing to a list that another worker has completed', async () => {
  await bookMany();
  const other = new Client({ connectionString: db.url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('lock table giro.reconciliation_item in share mode');
    const lagging = db.journal.openRun(RUN);
    await until(
      () =>
        other.query(
          `select from pg_locks where relation = 'giro.reconciliation_item'::regclass and not granted`,
        ),
      ({ rowCount }) => rowCount === 1,
    );
    await other.query('insert into giro.reconciliation_listed (as_of, transfers) values ($1, 0)', [RUN.asOf]);
    await other.query('commit');
    await lagging;
  } finally {
    await other.end();
  }
  expect(await db.sql('select from giro.reconciliation_item')).toMatchObject({ rowCount: 0 });
});

test('the length of a list: as it was made, or with what a statement has added', async () => {
  const { journal } = db;
  await bookMany();
  const statementId = await journal.beginStatement();
  await db.sql(
    `insert into giro.statement_end (statement_id, sha256, summary) values ($1, repeat('c', 64), '{}')`,
    [statementId],
  );
  const withStatement = { ...RUN, asOf: '2026-03-03T11:00:00Z', from: RUN.to, statementId };
  for (const run of [RUN, withStatement]) await journal.openRun(run);
  await journal.recordMatches(withStatement.asOf, [{ line: 1, originId: 7 }]);
  expect([await listed(RUN.asOf), await listed(withStatement.asOf)]).toEqual([MANY, 1]);
  const checked = [3, 4, 5].map((originId) => ({
    ...{ originId, source: 'asked' as const, evidenceSha256: null, confirmed: true },
  }));
  const outcome = { checked: checked.length } as StepOutcome;
  await journal.recordStep({
    ...{ asOf: RUN.asOf, step: 1, outcome, checked, notAsked: [], breaks: [], seen: [] },
  });
  expect(await journal.reconciliations({ limit: 2 })).toMatchObject([
    { asOf: withStatement.asOf, state: 'UNFINISHED', transfers: 1, checked: 0 },
    { asOf: RUN.asOf, state: 'UNFINISHED', transfers: MANY, checked: 3 },
  ]);
  expect(await db.sql('select from giro.reconciled')).toMatchObject({ rowCount: 3 });
});

test('finals that no run has found in order, breaks that are not resolved', async () => {
  const { journal } = db;
  const [confirmed, unconfirmed, old] = [
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
  ];
  for (const originId of [confirmed, unconfirmed, old]) {
    await ask(journal, originId, 1, answered('COMPLETED', { movementId: String(originId) }));
    await journal.recordResult(aResult(originId, 'COMPLETED', { movementId: String(originId) }));
  }
  await db.sql('set session_replication_role = replica');
  for (const table of ['transfer', 'result'])
    await db.sql(`alter table giro.${table} disable trigger append_only`);
  await db.sql(`update giro.transfer set opened_at = opened_at - interval '1 hour'`);
  await db.sql(`update giro.result set recorded_at = now() - interval '31 days' where origin_id = $1`, [old]);
  await db.sql(
    `with run as (
       insert into giro.reconciliation (as_of, from_at, to_at, is_default_window)
       values ('2026-01-01', '2026-01-01', '2026-01-01', true) returning as_of
     )
     insert into giro.reconciled (as_of, origin_id, step, source, confirmed)
     select as_of, $1, 1, 'asked', true from run`,
    [confirmed],
  );
  await db.sql(
    `insert into giro.break (key, version, break) values ('k', 1, jsonb_build_object('key', 'k', 'originId', $1::bigint,
       'class', 'STATE_MISMATCH', 'state', 'open', 'book', 'bank', 'firstSeen', '2026-01-01T00:00:00Z'))`,
    [old],
  );
  await db.sql('reset session_replication_role');
  // None was opened in the window.
  const asOf = `${new Date().toISOString().slice(0, 19)}Z`;
  await journal.openRun({ ...RUN, asOf, from: asOf, to: asOf, isDefault: true });
  const { rows } = await db.sql(
    'select origin_id from giro.reconciliation_item where as_of = $1 order by 1',
    [asOf],
  );
  expect(rows.map((row) => Number(row['origin_id']))).toEqual([unconfirmed, old]);
});

test('references without a transfer are found among many that have one, page by page', async () => {
  await bookMany();
  await db.sql(
    `insert into giro.reference (reference, origin_id, bound_at)
     select 'r' || id, id, '2026-03-02 12:00+00' from generate_series(1, ${MANY}) id
     union all
     select 'lost' || id, 1000000 + id, '2026-03-02 11:00+00'::timestamptz + id * interval '1 hour' from generate_series(1, 3) id`,
  );
  const { from, to } = RUN;
  const page = (after: number, limit: number) => db.journal.boundWithoutTransfer({ from, to, after, limit });
  expect(await page(0, 10)).toEqual([1_000_001, 1_000_002, 1_000_003]);
  expect(await page(0, 1)).toHaveLength(1);
  expect(await page(1_000_001, 1)).toEqual([1_000_002]);
  expect(await page(1_000_003, 1)).toEqual([]);
});

test('what needs attention: flags of open and ended transfers, newest first, of one status', async () => {
  const { journal } = db;
  const [open, cleared, ended] = [await openNew(journal), await openNew(journal), await openNew(journal)];
  for (const originId of [open, cleared, ended]) await journal.recordFlags(originId, ['OPEN_TOO_LONG']);
  await journal.recordFlags(cleared, []);
  await ask(journal, ended, 1, answered('COMPLETED'));
  await journal.recordResult(aResult(ended, 'COMPLETED'));
  const ids = async (status: string | null, limit = 10) =>
    (await journal.transfers({ status, needsAttention: true, limit })).map(({ originId }) => originId);
  expect(await ids(null)).toEqual([ended, open]);
  expect(await ids(null, 1)).toEqual([ended]);
  expect(await ids('COMPLETED')).toEqual([ended]);
  expect(await ids('sending')).toEqual([open]);
});
