import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { createJournal } from '../../src/journal/create-journal';
import { PATIENT } from '../journal/support/open-test-journal';
import { newOriginId, openNew } from '../journal/support/transfers';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { startTestHinting } from './support/test-hinting';
import type { TestHinting } from './support/test-hinting';
import { PATH_SECRET, startSealingReceiver, startTestReceiver } from './support/test-receiver';
import type { TestReceiver } from './support/test-receiver';

const CANARY = 'canary-91ab';

let database: TestDatabase;
let sql: Client;
let receiver: TestReceiver;
let hinting: TestHinting;

/** Without an engine; notifications are sealed to a key that the workers' ring has. */
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  const { keysFile, ...sealing } = await startSealingReceiver(database.url);
  ({ receiver } = sealing);
  hinting = await startTestHinting(database.url, {
    isEngineAway: true,
    env: { CODEC_KEYS_FILE: keysFile },
  });
});
afterAll(async () => {
  await hinting.stop();
  await receiver.stop();
  await sql.end();
  await database.drop();
});

const post = async (body: unknown, secret = PATH_SECRET): Promise<number> => {
  const url = `http://127.0.0.1:${receiver.port}/webhooks/${secret}`;
  return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).status;
};

test('the line `ready` names the address of deliveries: it may be a free port', () => {
  expect(receiver.log()).toContain(`"deliveries":"127.0.0.1:${receiver.port}"`);
});

test('while the engine is away notifications are taken, and wait for it, sealed', async () => {
  const { journal, close } = createJournal(database.url, { timeouts: PATIENT });
  const originId = await openNew(journal);
  await close();
  expect(await post({ originId, note: CANARY })).toBe(200);
  expect((await fetch(`${receiver.healthUrl}/readyz`)).status).toBe(200);
  const rows = () =>
    sql
      .query<{ body: Buffer; key_id: string; due_at: Date | null; tries: number }>(
        'select body, key_id, due_at, tries from giro.notification',
      )
      .then((result) => result.rows);
  const [row] = await until(rows, ([it]) => (it?.tries ?? 0) > 0);
  expect(row).toMatchObject({ key_id: 'r1', due_at: expect.any(Date) as Date });
  expect(row?.body.includes(CANARY)).toBe(false);
  const health = await (await fetch(`${receiver.healthUrl}/metrics`)).text();
  expect(health).toContain('giro_webhook_deliveries_total{outcome="stored"} 1');
  expect(receiver.log() + hinting.log()).not.toContain(CANARY);
});

test('a debit that nobody ordered, over HTTP while engine and bank are away: held until the bank confirms it; what somebody wrote is none', async () => {
  const { journal, close } = createJournal(database.url, { timeouts: PATIENT });
  const originId = newOriginId();
  const type = 'DEBIT_TRANSFER_SENT_CVU';
  const incoming = { type: 'CREDIT_TRANSFER_RECEIVED', networkId: `IN${originId}`, message: type };
  expect(await post({ data: { details: incoming } })).toBe(200);
  const counterparty = { id: '20218346414', account: { id: '0009001600000000000017' } };
  expect(await post({ id: 'evt-1', data: { type, originId, id: '30714979732', counterparty } })).toBe(200);
  const orphans = await until(
    () => journal.suspectedDebits({ since: null, before: null, limit: 1_000 }),
    (found) => found.length > 0,
  );
  expect(orphans).toEqual([
    expect.objectContaining({ movementType: type, originIds: [originId], movementIds: [], networkIds: [] }),
  ]);
  expect(receiver.log() + hinting.log()).not.toMatch(/30714979732|20218346414|0009001600000000000017/);
  await close();
});

test('a full inbox is answered 503, with the time to the next try, and counted', async () => {
  const other = await createTestDatabase();
  const full = await startTestReceiver(other.url, { RECEIVER_INBOX_MAX_ROWS: '1' });
  try {
    const answers = [];
    for (const body of ['{"n":1}', '{"n":2}', '{"n":1}'])
      answers.push(await fetch(full.url, { method: 'POST', body }));
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [200, null],
      [503, '60'],
      [200, null],
    ]);
    const metrics = await (await fetch(`${full.healthUrl}/metrics`)).text();
    for (const outcome of ['stored', 'inbox-full', 'duplicate'])
      expect(metrics).toContain(`giro_webhook_deliveries_total{outcome="${outcome}"} 1`);
  } finally {
    await full.stop();
    await other.drop();
  }
});

test('quotas above the cap of the owner are reported at the start: the cap holds', async () => {
  const warning = (variable: string) =>
    `${variable} is above giro.inbox_cap of the database: the cap applies`;
  expect(receiver.log()).not.toContain('giro.inbox_cap');
  const beyond = await startTestReceiver(database.url, { RECEIVER_INBOX_MAX_ROWS: '4000001' });
  await beyond.stop();
  expect(beyond.log()).toContain(warning('RECEIVER_INBOX_MAX_ROWS'));
  expect(beyond.log()).not.toContain(warning('RECEIVER_INBOX_MAX_BYTES'));
  const heavier = await startTestReceiver(database.url, { RECEIVER_INBOX_MAX_BYTES: '8589934593' });
  await heavier.stop();
  expect(heavier.log()).toContain(warning('RECEIVER_INBOX_MAX_BYTES'));
});

test('who verifies by the path alone is warned; who verifies a signature is not', async () => {
  const warning = 'WEBHOOK_VERIFY is url-token: whoever learns the path may send notifications';
  expect(receiver.log()).toContain(warning);
  const signed = await startTestReceiver(
    database.url,
    { WEBHOOK_VERIFY: 'hmac' },
    { WEBHOOK_SECRET_FILE: 'a-secret-of-a-signature-0123456789' },
  );
  await signed.stop();
  expect(signed.log()).not.toContain('url-token');
});

test('the secret of the path is changed without a gap', async () => {
  const next = 'the-next-secret-of-the-path-0123456789';
  const statusOf = (secret: string) => () => post({ secret }, secret);
  receiver.write('path-secret', `${PATH_SECRET}\n${next}\n`);
  await until(statusOf(next), (status) => status === 200);
  expect(await post({}, PATH_SECRET)).toBe(200);
  // Half-way through an edit, an empty file: those read before stay.
  receiver.write('path-secret', '\n');
  await until(statusOf(next), () => receiver.log().includes('those read before stay in force'));
  expect(await post({}, PATH_SECRET)).toBe(200);
  receiver.write('path-secret', `${next}\n`);
  await until(statusOf(PATH_SECRET), (status) => status === 404);
  expect(await post({}, next)).toBe(200);
});
