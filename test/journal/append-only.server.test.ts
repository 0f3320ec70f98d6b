import { Client } from 'pg';
import { JOURNAL_ROLES } from '../../src/journal/identity';
import { openDatabase } from '../../src/journal/database';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { aDecision, ask, openNew, REFUSED } from './support/transfers';

/**
 * No part of the books. The inbox of notifications, its counts and debits that the bank has not confirmed: rows change
 * while they are worked on, and go. `open_transfer`, `flagged_transfer`, `open_verification`: an index of the books;
 * `recovery_place`: a place in it; `statistics`: sums of them. `break`: how differences stand now, `break_change` is
 * their record; the list of a reconciliation goes when it has ended.
 */
const WORKING_TABLES = [
  ...[
    'notification',
    'inbox_size',
    'inbox_cap',
    'hint',
    'suspected_debit',
    'open_transfer',
    'flagged_transfer',
    'recovery_place',
    'open_verification',
  ],
  ...['statistics', 'break', 'reconciliation_item', 'statement_match'],
];
/** What single reconciliations saw: it goes when it is old, and a guard of its own keeps what is younger. */
const FORGOTTEN_IN_TIME = ['reconciled', 'break_seen', 'not_asked', 'statement_line'];
/** Full answers of verifications: a person may ask for them to be deleted, which is the owner's to do. */
const ERASABLE = 'verification_answer';

let db: TestJournal;
let runtime: Client;
let tables: string[];
beforeAll(async () => {
  db = await openTestJournal();
  runtime = new Client({ connectionString: db.url, options: '-c role=giro_runtime' });
  await runtime.connect();
  const { rows } = await db.sql(`select tablename from pg_tables where schemaname = 'giro' order by 1`);
  tables = rows.map((row) => String(row['tablename'])).filter((table) => !WORKING_TABLES.includes(table));
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, REFUSED);
  await db.journal.recordFlags(originId, ['OUTCOME_UNKNOWN']);
  await db.journal.bindReference('invoice 1');
  await db.journal.recordDecision(originId, aDecision('proposed', 'resend', ['ana']));
});
afterAll(async () => {
  await runtime.end();
  await db.close();
});

test('not even the owner, a superuser, changes, deletes or truncates a row', async () => {
  expect(tables.length).toBeGreaterThan(0);
  for (const table of tables.filter((name) => name !== ERASABLE)) {
    const { rows } = await db.sql(
      `select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and attgenerated = '' limit 1`,
      [`giro.${table}`],
    );
    const some = String(rows[0]?.['attname']);
    for (const change of [
      `update giro.${table} set ${some} = ${some}`,
      `update giro.${table} set ${some} = ${some} where false`,
      ...(FORGOTTEN_IN_TIME.includes(table) ? [] : [`delete from giro.${table}`]),
      `truncate giro.${table} cascade`,
    ]) {
      await expect(db.sql(change)).rejects.toMatchObject({ code: 'GR003' });
    }
  }
});

test.each([
  ['open_transfer', 'origin_id', 'opened_at', 'recovery_place set origin_id = 1'],
  ['open_verification', 'request_id', 'checked_at', 'open_verification set checked_at = now()'],
])('%s is no record; the run-time role may only mark whose turn it was', async (table, key, other, mark) => {
  await runtime.query(`update giro.${mark} where false`);
  for (const change of [
    `update giro.${table} set ${key} = '1' where false`,
    `delete from giro.${table} where false`,
    `insert into giro.${table} (${key}, ${other}) values ('1', now())`,
  ]) {
    await expect(runtime.query(change)).rejects.toMatchObject({ code: '42501' });
  }
});

test('full answers may be deleted by the owner, and never changed', async () => {
  for (const change of [`update giro.${ERASABLE} set sealed = sealed`, `truncate giro.${ERASABLE}`]) {
    await expect(db.sql(change)).rejects.toMatchObject({ code: 'GR003' });
  }
  await expect(db.sql(`delete from giro.${ERASABLE}`)).resolves.toMatchObject({ rowCount: 0 });
  await expect(runtime.query(`delete from giro.${ERASABLE}`)).rejects.toMatchObject({ code: '42501' });
});

test('nor when triggers are off for replication', async () => {
  await db.sql('set session_replication_role = replica');
  await expect(db.sql('delete from giro.annulment')).rejects.toMatchObject({ code: 'GR003' });
  await db.sql('reset session_replication_role');
});

test('nor by an upsert', async () => {
  await expect(
    db.sql(`insert into giro.reference (reference, origin_id) values ('invoice 1', 99)
      on conflict (reference) do update set origin_id = 99`),
  ).rejects.toMatchObject({ code: 'GR003' });
});

test('the run-time role neither changes nor deletes records, nor alters their tables', async () => {
  for (const table of tables) {
    const isForgotten = FORGOTTEN_IN_TIME.includes(table);
    for (const change of [
      ...(isForgotten ? [] : [`delete from giro.${table}`]),
      `truncate giro.${table}`,
      `alter table giro.${table} disable trigger append_only`,
      `drop trigger append_only on giro.${table}`,
      `drop table giro.${table} cascade`,
    ]) {
      await expect(runtime.query(change)).rejects.toMatchObject({ code: '42501' });
    }
  }
});

test('the run-time role cannot set the sequence, replace a guard, make a table or become another', async () => {
  for (const attempt of [
    `select setval('giro.origin_id', 1)`,
    'alter sequence giro.origin_id restart with 1',
    'create or replace function giro.refuse_change() returns trigger language plpgsql as $$ begin return null; end $$',
    'create table giro.other (id integer)',
    'alter function giro.guard_annulment() rename to nothing',
    'set session_replication_role = replica',
  ]) {
    await expect(runtime.query(attempt)).rejects.toMatchObject({ code: '42501' });
  }
});

test.each(JOURNAL_ROLES)('%s owns nothing and has no rights beyond its grants', async (role) => {
  const { rows } = await db.sql(
    `select rolsuper, rolcreaterole, rolcreatedb, rolcanlogin, rolbypassrls,
       (select count(*)::integer from pg_class where relowner = r.oid) as owned
     from pg_roles r where rolname = $1`,
    [role],
  );
  expect(rows).toEqual([
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolcanlogin: false,
      rolbypassrls: false,
      owned: 0,
    },
  ]);
});

test.each(JOURNAL_ROLES)('works as %s, with commits that survive a crash', async (identity) => {
  const database = openDatabase(db.url, { identity });
  try {
    const text = `select current_user as role, current_setting('synchronous_commit') as commits,
      current_setting('transaction_isolation') as isolation, current_setting('statement_timeout') as timeout`;
    expect(await database.run({ name: 'settings', text }, [])).toEqual([
      { role: identity, commits: 'on', isolation: 'read committed', timeout: '5s' },
    ]);
  } finally {
    await database.close();
  }
});
