import { Client } from 'pg';
import { startPostgres } from '../../dev/postgres';
import { durabilityCheck } from '../../src/doctor/durability-check';
import type { Judgement } from '../../src/doctor/check-result';
import { migrateJournal } from '../../src/journal/migrate';
import { createTestDatabase } from '../support/journal-database';

const check = (url: string): Promise<Judgement> => durabilityCheck(url).run();

async function connected(url: string, more: object, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, ...more });
  // Cut off with its server.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const asAdmin = (url: string, ...statements: readonly string[]): Promise<void> =>
  connected(url, {}, async (admin) => {
    for (const statement of statements) await admin.query(statement);
  });

/** What streams the write-ahead log is a sender to PostgreSQL from its first moment on. */
const withStandby = (url: string, work: () => Promise<void>): Promise<void> =>
  connected(url, { replication: 'true' }, work);

/** Takes the write-ahead log as far as it goes now, and says that it has it on its disk. */
const withStreamingStandby = (url: string, name: string, work: () => Promise<void>): Promise<void> =>
  connected(url, { replication: 'true', application_name: name }, async (client) => {
    const { rows } = await client.query<{ xlogpos: string }>('IDENTIFY_SYSTEM');
    const lsn = rows[0]?.xlogpos ?? '';
    // It streams until its connection ends.
    client.query(`START_REPLICATION PHYSICAL ${lsn}`).catch(() => undefined);
    const [high = '', low = ''] = lsn.split('/');
    const position = (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
    const status = Buffer.alloc(34);
    status.write('r');
    for (const at of [1, 9, 17]) status.writeBigUInt64BE(position, at);
    const { connection } = client as unknown as {
      readonly connection: { sendCopyFromChunk(chunk: Buffer): void; readonly stream: { destroy(): void } };
    };
    connection.sendCopyFromChunk(status);
    try {
      await work();
    } finally {
      connection.stream.destroy();
    }
  });

async function checkUntil(url: string, isSo: (found: Judgement) => boolean): Promise<Judgement> {
  let found = await check(url);
  for (let tries = 0; !isSo(found) && tries < 50; tries += 1) found = await check(url);
  return found;
}

test('a server as in production: alone, with a standby behind, and with one that commits wait for', async () => {
  const postgres = await startPostgres({ log: () => undefined, durable: true });
  try {
    const owner = await postgres.createDatabase('giro');
    await migrateJournal(owner);
    // A worker's login, which may not read the details of the senders.
    await asAdmin(owner, `create role worker login password 'canary' in role giro_runtime`);
    const url = new URL(owner);
    url.username = 'worker';
    url.password = 'canary';

    const alone = { ok: true, detail: 'a commit waits for its disk; no standby is connected', remedy: null };
    expect(await check(url.href)).toEqual(alone);
    await withStandby(owner, async () => {
      for (const login of [owner, url.href]) {
        expect(await check(login)).toMatchObject({
          ok: false,
          detail: expect.stringMatching(/^a standby is connected and none is synchronous: /),
          remedy: expect.stringContaining('synchronous_standby_names'),
        });
      }
    });
    await asAdmin(owner, `alter system set synchronous_standby_names = 'reserve'`, 'select pg_reload_conf()');
    await withStandby(owner, async () => {
      // The server reads its settings again a moment later.
      const found = await checkUntil(url.href, ({ ok }) => ok);
      expect(found).toMatchObject({ ok: true, detail: expect.stringContaining('this login may not see') });
      expect(await check(owner)).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^no standby .* is connected \(connected: 1\): every commit waits/),
      });
    });
    await withStreamingStandby(owner, 'reserve', async () => {
      const found = await checkUntil(owner, ({ ok }) => ok);
      expect(found).toMatchObject({ ok: true, detail: expect.stringMatching(/a synchronous standby$/) });
    });
    expect(JSON.stringify(await check(url.href))).not.toMatch(/canary|reserve|worker/);
  } finally {
    await postgres.stop();
  }
});

test('a server that does not flush fails the check; settings of a role or a database do not count', async () => {
  const database = await createTestDatabase();
  try {
    const { pathname } = new URL(database.url);
    await asAdmin(database.url, `alter database ${pathname.slice(1)} set synchronous_commit = off`);
    const { ok, detail, remedy } = await check(database.url);
    expect(ok).toBe(false);
    expect(detail).toMatch(/^fsync is off: .*; full_page_writes is off: /);
    expect(remedy).toBe('set fsync = on; set full_page_writes = on');
    expect(detail).not.toContain('synchronous_commit');
  } finally {
    await database.drop();
  }
});
