import { createInbox } from '../../src/journal/inbox';
import type { OpenInbox } from '../../src/journal/inbox';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';

let db: TestJournal;
const open: OpenInbox[] = [];
beforeAll(async () => {
  db = await openTestJournal();
});
afterAll(async () => {
  for (const { close } of open) await close();
  await db.close();
});
beforeEach(() => db.sql('delete from giro.notification'));

function inboxOf(quotas: { readonly maxRows?: number; readonly maxBytes?: number }) {
  const opened = createInbox(db.url, { quotas: { maxRows: 1_000, maxBytes: 1_000_000, ...quotas } });
  open.push(opened);
  return (deliveryKey: string, bytes = 10) =>
    opened.inbox.storeNotification({ deliveryKey, body: Buffer.alloc(bytes, 'x') });
}

test('beyond the quota of rows nothing is stored; a repeat is known; what is deleted makes room', async () => {
  const store = inboxOf({ maxRows: 2 });
  expect([await store('a'), await store('a'), await store('b')]).toEqual(['stored', 'duplicate', 'stored']);
  expect([await store('c'), await store('a')]).toEqual(['inbox-full', 'duplicate']);
  expect((await db.sql('select 1 from giro.notification')).rows).toHaveLength(2);
  await db.sql(`delete from giro.notification where delivery_key = 'a'`);
  expect([await store('c'), await store('d')]).toEqual(['stored', 'inbox-full']);
});

test('the quota of bytes counts bodies', async () => {
  const store = inboxOf({ maxBytes: 100 });
  expect([await store('a', 60), await store('b', 41), await store('c', 40)]).toEqual([
    ...['stored', 'inbox-full', 'stored'],
  ]);
});

test('the counts are those of the rows, whoever stores and deletes at once', async () => {
  const store = inboxOf({});
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      await store(`k${i % 50}`, 7);
      if (i % 3 === 0) await db.sql('delete from giro.notification where delivery_key = $1', [`k${i}`]);
    }),
  );
  const { rows } = await db.sql(
    `select (select count(*) from giro.notification) = sum(row_count) as rows,
       (select sum(octet_length(body)) from giro.notification) = sum(byte_count) as bytes from giro.inbox_size`,
  );
  expect(rows).toEqual([{ rows: true, bytes: true }]);
  await db.sql('truncate giro.notification');
  expect((await db.sql('select sum(row_count)::integer as n from giro.inbox_size')).rows).toEqual([{ n: 0 }]);
});

test('the receiver reads no notification and no order, and changes nothing', async () => {
  const client = await db.connect();
  await client.query('set role giro_receiver');
  for (const text of [
    'select body from giro.notification',
    'select * from giro.transfer',
    'select * from giro.reference',
    `update giro.notification set due_at = null`,
    'delete from giro.notification',
    `insert into giro.notification (delivery_key, body, outcome, done_at, due_at) values ('x', '', 'ended', now(), null)`,
    'update giro.inbox_size set row_count = 0',
    `insert into giro.hint (workflow_id, granted_at) values ('transfer-1', now())`,
  ])
    await expect(client.query(text)).rejects.toMatchObject({ code: '42501' });
});
