import { createInbox } from '../../src/journal/inbox';
import type { OpenInbox } from '../../src/journal/inbox';
import { openTestJournal, PATIENT } from './support/open-test-journal';
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
  const opened = createInbox(db.url, {
    quotas: { maxRows: 1_000, maxBytes: 1_000_000, ...quotas },
    timeouts: PATIENT,
  });
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

test('a login of the receiver that passes its own quotas by is held to the size of a body and to the cap of the owner', async () => {
  const client = await db.connect();
  await client.query('set role giro_receiver');
  const store = (key: string, bytes: number, rows = 1) =>
    client.query(
      `insert into giro.notification (delivery_key, body)
       select $1 || i, convert_to(repeat('x', $2), 'UTF8') from generate_series(1, $3::integer) i`,
      [key, bytes, rows],
    );
  await store('largest', 257 * 1024);
  await expect(store('too-large', 257 * 1024 + 1)).rejects.toMatchObject({ code: '23514' });
  await expect(store('k'.repeat(255), 1)).rejects.toMatchObject({ code: '23514' });
  await expect(client.query('update giro.inbox_cap set max_rows = 1000')).rejects.toMatchObject({
    code: '42501',
  });

  await db.sql('update giro.inbox_cap set max_rows = 10, max_bytes = 300000');
  try {
    await expect(store('rows', 1, 10)).rejects.toMatchObject({ code: 'GR002' });
    await expect(store('bytes', 19_000, 2)).rejects.toMatchObject({ code: 'GR002' });
    await store('fits', 1, 9);
    await expect(store('more', 1)).rejects.toMatchObject({ code: 'GR002' });
    // The receiver itself answers that it is full, whatever its quotas.
    expect(await inboxOf({})('one-more')).toBe('inbox-full');
    expect((await db.sql('select 1 from giro.notification')).rows).toHaveLength(10);
  } finally {
    await db.sql('update giro.inbox_cap set max_rows = 4000000, max_bytes = 8589934592');
  }
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
