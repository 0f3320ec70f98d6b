import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { packageRoot } from '../../dev/package-root';
import { createInbox } from '../../src/journal/inbox';
import { JOURNAL_ROLES } from '../../src/journal/identity';
import type { JournalRole } from '../../src/journal/identity';
import { migrateJournal } from '../../src/journal/migrate';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { answered, aResult, ask, openNew } from './support/transfers';

let db: TestJournal;
const sessions = new Map<JournalRole, Client>();
beforeAll(async () => {
  db = await openTestJournal();
  for (const role of JOURNAL_ROLES) {
    const client = new Client({ connectionString: db.url, options: `-c role=${role}` });
    await client.connect();
    sessions.set(role, client);
  }
});
afterAll(async () => {
  await Promise.all([...sessions.values()].map((client) => client.end()));
  await db.close();
});

const as = (role: JournalRole, statement: string) => sessions.get(role)?.query(statement);

/** Statements that write a payment or its history. */
const ORDER = `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256)
  values (1, repeat('a', 64), '{}', repeat('b', 64))`;
const CLAIM = `insert into giro.request (origin_id, number, kind, run_id) values (1, 1, 'create', 'r')`;
const ANSWER = `insert into giro.answer (origin_id, number, digest, kind) values (1, 1, 'd', 'not-found')`;
const DECISION = `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason)
  values (1, 1, 'x', 'proposed', 'resend', 'ana', '{ana}', 'x')`;
const FLAGS = `insert into giro.flags (origin_id, seq, reasons) values (1, 1, '{}')`;
const RESULT = `insert into giro.result (origin_id, result) values (1, '{}')`;
const ANNULMENT = `insert into giro.annulment (origin_id, amount, currency, decided_by, operators)
  values (1, 1, '032', 'bank', '{}')`;
const DOUBT = `insert into giro.doubt (origin_id, reason) values (1, 'restored')`;
const OUTCOME = `insert into giro.verification_outcome (request_id, seq, outcome) values ('r', 1, 'approved')`;
const LINK = `insert into giro.report_link (sequence, as_of, records, previous_sha256, sha256)
  values (1, now(), 0, repeat('0', 64), repeat('a', 64))`;
const LOST_STOP = `select giro.recover_stop(now(), 'ana', 'x')`;
const OF_A_RUN = [ORDER, CLAIM, ANSWER, DECISION, FLAGS, RESULT, ANNULMENT, DOUBT, OUTCOME, LINK, LOST_STOP];

const BRAKE = `insert into giro.sending (stopped, operator, reason) values (false, 'ana', 'x')`;
const AUDIT = `insert into giro.audit (action, operator) values ('sending go', 'ana')`;
const ACKNOWLEDGEMENT = `insert into giro.incident_acknowledgement (incident_id, origin_id, operator, note)
  values (gen_random_uuid(), 1, 'ana', 'x')`;
const BREAK = `update giro.break set version = 2, break = '{}'`;
const INQUIRY = `insert into giro.inquiry (origin_id, number, asked_by) values (1, 1, 'movement show')`;
const STATEMENT = 'select giro.begin_statement()';
const OF_PEOPLE = [BRAKE, AUDIT, ACKNOWLEDGEMENT, STATEMENT];

const REFERENCE = `insert into giro.reference (reference, origin_id) values ('r', 1)`;
const NEXT_ID = `select nextval('giro.origin_id')`;
const OF_A_CLIENT = [REFERENCE, NEXT_ID];

const NOTIFICATION = `insert into giro.notification (delivery_key, body) values ('k', 'x')`;
const INBOX = ['select body from giro.notification', `update giro.notification set tries = 0`];
const ARRIVAL = [
  `update giro.notification set received_at = now() - interval '1 day'`,
  `update giro.notification set body = 'x'`,
];

const ORDERS = 'select order_json from giro.transfer';
const BANK = 'select kind from giro.answer';
const TRAIL = 'select * from giro.audit';
const PERSONS = 'select sealed from giro.verification_answer';

/** The owner's alone. */
const OF_THE_OWNER = [
  'select giro.advance_origin_id(9007199254740991)',
  `select setval('giro.origin_id', 9007199254740991)`,
  `select setval('giro.record_id', 1)`,
  'delete from giro.verification_answer',
  'delete from giro.open_transfer',
  'update giro.inbox_cap set max_rows = 1',
  `insert into giro.migration (number, name, checksum) values (99, 'x', 'x')`,
  'create table giro.other (id integer)',
  'create function giro.other() returns void language sql as $$ select null $$',
  'set session_replication_role = replica',
];

const REFUSED: Readonly<Record<JournalRole, readonly string[]>> = {
  giro_runtime: [...OF_PEOPLE, ...OF_A_CLIENT, ...ARRIVAL, TRAIL, PERSONS],
  giro_receiver: [
    ...[...OF_A_RUN, ...OF_PEOPLE, BREAK, INQUIRY, ...OF_A_CLIENT, ...INBOX, ORDERS, BANK, TRAIL, PERSONS],
    ...[
      'select order_sha256 from giro.transfer',
      'select * from giro.reference',
      'select * from giro.result',
    ],
    'delete from giro.notification',
  ],
  giro_operator: [
    ...[...OF_A_RUN, ...OF_A_CLIENT, NOTIFICATION, ...INBOX, 'delete from giro.notification'],
    `insert into giro.break (key, version, break) values ('k', 1, '{}')`,
  ],
  giro_client: [
    ...[
      ...OF_A_RUN,
      BRAKE,
      ACKNOWLEDGEMENT,
      STATEMENT,
      BREAK,
      INQUIRY,
      NOTIFICATION,
      ...INBOX,
      ORDERS,
      BANK,
      TRAIL,
    ],
    ...[
      `select result ->> 'reason' from giro.result`,
      'select reason from giro.decision',
      'select note from giro.incident_acknowledgement',
    ],
    'select * from giro.request',
  ],
};

/** None of them says when a record was written. */
const GIVEN_DATES: readonly string[] = [
  // What somebody else dates: the bank, or the run's settings.
  'giro_operator insert statement_line.booked_at',
  'giro_runtime insert verification_status.status_at',
  'giro_runtime insert request.in_flight_until',
  'giro_runtime insert request.resend_until',
  // The window of a reconciliation.
  'giro_runtime insert reconciliation.from_at',
  'giro_runtime insert reconciliation.to_at',
  // Of queues, marks and counts, which are no records.
  'giro_operator update open_verification.checked_at',
  'giro_runtime update open_verification.checked_at',
  'giro_runtime update notification.due_at',
  'giro_runtime update notification.done_at',
  'giro_runtime insert suspected_debit.ask_at',
  'giro_runtime update suspected_debit.ask_at',
  'giro_runtime insert hint.granted_at',
  'giro_runtime update hint.granted_at',
  'giro_runtime insert hint.delivered_at',
  'giro_runtime update hint.delivered_at',
];

const NO_GRANT = { code: '42501' };

test.each(
  JOURNAL_ROLES.flatMap((role) => [...REFUSED[role], ...OF_THE_OWNER].map((it) => [role, it] as const)),
)('%s may not: %s', async (role, statement) => {
  await expect(as(role, statement)).rejects.toMatchObject(NO_GRANT);
});

test.each(JOURNAL_ROLES.flatMap((role) => JOURNAL_ROLES.map((other) => [role, other] as const)))(
  '%s is no member of %s',
  async (role, other) => {
    const { rows } = await db.sql(`select pg_has_role($1, $2, 'member') as member`, [role, other]);
    expect(rows).toEqual([{ member: role === other }]);
  },
);

test('nobody gives what the journal gives: when a record was written, record numbers, ids', async () => {
  const { rows } = await db.sql(
    `select p.grantee || ' ' || p.table_name || '.' || p.column_name as given
     from information_schema.column_privileges p
     join information_schema.columns c using (table_schema, table_name, column_name)
     where p.table_schema = 'giro' and p.privilege_type = 'INSERT' and p.grantee like 'giro\\_%'
       and (c.is_identity = 'YES' or c.column_default ~ 'nextval|clock_timestamp|gen_random_uuid')
       and p.table_name not in ('notification', 'hint')`,
  );
  expect(rows).toEqual([]);
});

test('only these dates may be given, besides the asOf of a reconciliation', async () => {
  const { rows } = await db.sql(
    `select p.grantee || ' ' || lower(p.privilege_type) || ' ' || p.table_name || '.' || p.column_name as given
     from information_schema.column_privileges p
     join information_schema.columns c using (table_schema, table_name, column_name)
     where p.table_schema = 'giro' and p.privilege_type in ('INSERT', 'UPDATE') and p.grantee like 'giro\\_%'
       and c.data_type ~ '^(timestamp|date|time)' and p.column_name <> 'as_of'`,
  );
  expect(rows.map(({ given }) => String(given)).sort()).toEqual([...GIVEN_DATES].sort());
});

test('records are changed and deleted by nobody, but for what a guard of their own lets go', async () => {
  const { rows } = await db.sql(
    `select distinct p.grantee || ' ' || lower(p.privilege_type) || ' ' || p.table_name as granted
     from (
       select grantee, table_name, privilege_type from information_schema.column_privileges where table_schema = 'giro'
       union
       select grantee, table_name, privilege_type from information_schema.table_privileges where table_schema = 'giro'
     ) p
     where p.grantee like 'giro\\_%' and p.privilege_type not in ('SELECT', 'INSERT') order by 1`,
  );
  expect(rows.map(({ granted }) => granted)).toEqual([
    'giro_operator update break',
    'giro_operator update open_verification',
    'giro_operator update recovery_place',
    ...['break_seen', 'hint', 'not_asked', 'notification', 'reconciled', 'reconciliation_item'].map(
      (table) => `giro_runtime delete ${table}`,
    ),
    ...['statement_line', 'statement_match', 'suspected_debit'].map(
      (table) => `giro_runtime delete ${table}`,
    ),
    ...['break', 'hint', 'notification', 'open_verification', 'recovery_place'].map(
      (table) => `giro_runtime update ${table}`,
    ),
    ...['statistics', 'suspected_debit'].map((table) => `giro_runtime update ${table}`),
  ]);
});

test('the receiver puts a notification into the inbox, once', async () => {
  const { inbox, close } = createInbox(db.url);
  const notification = { deliveryKey: 'd-1', body: Buffer.from('{}') };
  expect(await inbox.storeNotification(notification)).toBe('stored');
  expect(await inbox.storeNotification(notification)).toBe('duplicate');
  await close();
});

describe('what stays open (docs/threat-model.md)', () => {
  test('the login of a worker silences a debit that nobody ordered, before the bank is asked', async () => {
    await db.sql(`insert into giro.notification (delivery_key, body) values ('silenced', 'x')`);
    await db.sql(
      `insert into giro.suspected_debit (delivery_key, origin_ids, movement_ids, network_ids, ask_at)
       values ('silenced', '{1}', '{}', '{}', now())`,
    );
    for (const statement of [
      `update giro.suspected_debit set ask_at = 'infinity' where delivery_key = 'silenced'`,
      `delete from giro.suspected_debit where delivery_key = 'silenced'`,
      `update giro.notification set due_at = null, outcome = 'not-ours', done_at = now() where delivery_key = 'silenced'`,
    ])
      expect(await as('giro_runtime', statement)).toMatchObject({ rowCount: 1 });
  });

  test('the login of a worker says of a final that a reconciliation has found it in order', async () => {
    for (const statement of [
      `insert into giro.reconciliation (as_of, from_at, to_at, is_default_window) values ('2026-01-05', '2026-01-01', '2026-01-05', true)`,
      `insert into giro.reconciliation_step (as_of, step, outcome) values ('2026-01-05', 1, '{}')`,
      `insert into giro.reconciled (as_of, origin_id, step, source, confirmed) values ('2026-01-05', 1, 1, 'asked', true)`,
    ])
      expect(await as('giro_runtime', statement)).toMatchObject({ rowCount: 1 });
  });

  test('every login holds up creates by a lock, until a superuser reserves the locks (docs/security.md)', async () => {
    const LOCK = `select pg_advisory_lock(hashtextextended('giro.sending', 0))`;
    const UNLOCK = 'select pg_advisory_unlock_all()';
    const claimed = (originId: number) =>
      db.sql(`insert into giro.request (origin_id, number, kind, run_id) values ($1, 1, 'create', 'r')`, [
        originId,
      ]);
    const originId = await openNew(db.journal);
    for (const role of JOURNAL_ROLES) {
      await as(role, LOCK);
      await db.sql('set lock_timeout = 100');
      await expect(claimed(originId)).rejects.toMatchObject({ code: '55P03' });
      await db.sql('reset lock_timeout');
      await as(role, UNLOCK);
    }

    const security = await readFile(path.join(packageRoot, 'docs', 'security.md'), 'utf8');
    const reserve = /```sql\n(do \$\$.*?\$\$;)\n```/s.exec(security)?.[1] ?? '';
    await db.sql(reserve.replace('giro_owner', 'current_user'));
    for (const role of ['giro_receiver', 'giro_client'] as const)
      await expect(as(role, LOCK)).rejects.toMatchObject(NO_GRANT);

    const { journal } = db;
    await ask(journal, originId, 1, answered('FAILED'));
    await journal.recordFlags(originId, ['OPEN_TOO_LONG']);
    await journal.recordAnnulment({ result: aResult(originId, 'FAILED'), evidenceNumber: 1, operators: [] });
    await journal.setSending({ stopped: true, operator: 'ana', reason: 'x' });
    await journal.setSending({ stopped: false, operator: 'ana', reason: 'x' });
    await journal.openVerification('v-1');
    await journal.bindReference('reserved');
    const { inbox, close } = createInbox(db.url);
    expect(await inbox.storeNotification({ deliveryKey: 'reserved', body: Buffer.from('{}') })).toBe(
      'stored',
    );
    await close();
    expect(await journal.events({ after: null, limit: 10 })).toHaveLength(3);
    expect((await migrateJournal(db.url)).applied).toEqual([]);
  });

  test.each(JOURNAL_ROLES)('%s writes temporary tables, until the owner takes that away', async (role) => {
    const fill = () => as(role, 'create temporary table filler as select 1; drop table filler');
    const { rows } = await db.sql('select quote_ident(current_database()) as name');
    const name = String(rows[0]?.['name']);
    await fill();
    await db.sql(`revoke temporary on database ${name} from public`);
    await expect(fill()).rejects.toMatchObject(NO_GRANT);
    await db.sql(`grant temporary on database ${name} to public`);
  });
});
