import { Client } from 'pg';
import { startPostgres } from '../../dev/postgres';
import { durabilityCheck } from '../../src/doctor/durability-check';
import type { Judgement } from '../../src/doctor/finding';
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
      let found = await check(url.href);
      // The server reads its settings again a moment later.
      for (let tries = 0; !found.ok && tries < 50; tries += 1) found = await check(url.href);
      expect(found).toMatchObject({ ok: true, detail: expect.stringContaining('synchronous standby') });
    });
    expect(JSON.stringify(await check(url.href))).not.toMatch(/canary|reserve|worker/);
  } finally {
    await postgres.stop();
  }
});

test('a server that does not flush is a finding; what a role or a database says of commits does not count', async () => {
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
