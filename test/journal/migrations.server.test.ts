import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { checkJournal } from '../../src/journal/check-journal';
import { createJournal } from '../../src/journal/create-journal';
import { JournalNotReady } from '../../src/journal/errors';
import { migrateJournal } from '../../src/journal/migrate';
import { readMigrations } from '../../src/journal/migration-files';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { dumpSchema } from './support/schema-dump';
import { claim, openNew } from './support/transfers';

const SOURCES = path.join(__dirname, '../../src/journal/migrations');

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await createTestDatabase('empty');
  folder = await mkdtemp(path.join(tmpdir(), 'giro-migrations-'));
  await cp(SOURCES, folder, { recursive: true });
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function owner<T>(work: (client: Client) => Promise<T>, url = database.url): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test('an empty database becomes a journal; a second run changes nothing', async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  expect(await checkJournal(database.url)).toMatchObject({
    ready: false,
    problem: expect.stringMatching(/run setup/),
  });
  expect(await migrateJournal(database.url)).toEqual({ applied: names, newer: [] });
  const schema = await dumpSchema(database.url);
  expect(await migrateJournal(database.url)).toEqual({ applied: [], newer: [] });
  expect(await dumpSchema(database.url)).toBe(schema);
  expect(await checkJournal(database.url)).toEqual({ ready: true, newer: [] });
});

test('run by several at once, each file is applied by one', async () => {
  const reports = await Promise.all(Array.from({ length: 4 }, () => migrateJournal(database.url)));
  const names = (await readMigrations()).map(({ name }) => name);
  expect(reports.flatMap(({ applied }) => applied)).toEqual(names);
  expect(await checkJournal(database.url)).toMatchObject({ ready: true });
});

test('several databases of one server, which share the role, are migrated at once', async () => {
  const others = await Promise.all(Array.from({ length: 3 }, () => createTestDatabase('empty')));
  try {
    await Promise.all([database, ...others].map(({ url }) => migrateJournal(url)));
    for (const { url } of others) expect(await checkJournal(url)).toMatchObject({ ready: true });
  } finally {
    await Promise.all(others.map((other) => other.drop()));
  }
});

test('a changed file that was applied is refused; line ends do not count', async () => {
  await migrateJournal(database.url, { folder });
  const [first] = await readMigrations(folder);
  await writeFile(path.join(folder, first!.name), first!.sql.replaceAll('\n', '\r\n'));
  expect(await migrateJournal(database.url, { folder })).toEqual({ applied: [], newer: [] });

  await writeFile(path.join(folder, first!.name), `${first!.sql}-- changed\n`);
  await expect(migrateJournal(database.url, { folder })).rejects.toThrow(
    'the journal was made by another text of 0001-runtime-role.sql: an applied migration never changes, add a new one',
  );
});

test('migrations of a newer program are left alone and told', async () => {
  await writeFile(path.join(folder, '0099-later.sql'), '');
  await expect(readMigrations(folder)).rejects.toThrow('migration 0099-later.sql is not named as number');
  await rm(path.join(folder, '0099-later.sql'));
  const next = `${String((await readMigrations(folder)).length + 1).padStart(4, '0')}-later.sql`;
  await writeFile(path.join(folder, next), 'create table giro.later (id integer);');
  await migrateJournal(database.url, { folder });
  expect(await migrateJournal(database.url)).toEqual({ applied: [], newer: [next] });
  expect(await checkJournal(database.url)).toEqual({ ready: true, newer: [next] });
});

test('a file that fails leaves nothing of itself, and the ones before it stand', async () => {
  const next = `${String((await readMigrations(folder)).length + 1).padStart(4, '0')}-broken.sql`;
  await writeFile(
    path.join(folder, next),
    'create table giro.half (id integer); select * from giro.nothing;',
  );
  await expect(migrateJournal(database.url, { folder })).rejects.toThrow(
    new RegExp(`migration ${next}: .*giro.nothing`),
  );
  expect(await dumpSchema(database.url)).not.toContain('half');
  expect(await checkJournal(database.url)).toEqual({ ready: true, newer: [] });
});

test('a journal that lacks a migration is not ready, and says which', async () => {
  const missing = (await readMigrations()).slice(1).map(({ name }) => name);
  for (const name of missing) await rm(path.join(folder, name));
  await migrateJournal(database.url, { folder });
  expect(await checkJournal(database.url)).toEqual({
    ready: false,
    problem: `the journal lacks ${missing.join(', ')}: run setup`,
  });
  const { journal, close } = createJournal(database.url);
  await expect(journal.transfer(1)).rejects.toThrow(/missing or older than this program: run setup/);
  await close();
  await migrateJournal(database.url);
  expect(await checkJournal(database.url)).toMatchObject({ ready: true });
});

test('what a journal holds of restorations and decisions becomes doubts and flags', async () => {
  const later = (await readMigrations()).slice(24).map(({ name }) => name);
  for (const name of later) await rm(path.join(folder, name));
  await migrateJournal(database.url, { folder });
  const [open, ended, after, marked] = [1, 2, 3, 4];
  await owner(async (client) => {
    const transfer = (originId: number | undefined) =>
      client.query(
        `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256)
         values ($1, repeat('a', 64), '{}', repeat('b', 64))`,
        [originId],
      );
    await transfer(open);
    await transfer(ended);
    await client.query(
      `insert into giro.request (origin_id, number, kind, run_id) values ($1, 1, 'withdrawal', 'r')`,
      [ended],
    );
    await client.query('insert into giro.result (origin_id, result) values ($1, $2)', [
      ended,
      JSON.stringify({ originId: ended, status: 'WITHDRAWN', orderSha256: 'a'.repeat(64) }),
    ]);
    await client.query('insert into giro.restoration default values');
    await transfer(after);
    await transfer(marked);
    await client.query('insert into giro.restoration (origin_id) values ($1)', [marked]);
    const flags = `insert into giro.flags (origin_id, seq, reasons) values ($1, $2, $3)`;
    await client.query(flags, [open, 1, ['OPEN_TOO_LONG']]);
    await client.query(flags, [open, 2, ['ECHO_MISMATCH', 'OPEN_TOO_LONG']]);
    await client.query(
      `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason)
       values ($1, 1, 'd1', 'resumed', 'resume', 'ana', '{ana}', 'r')`,
      [open],
    );
    await client.query(flags, [open, 3, []]);
  });

  await migrateJournal(database.url);
  await owner(async (client) => {
    const doubts = await client.query('select origin_id::integer, reason from giro.doubt order by origin_id');
    expect(doubts.rows).toEqual([
      { origin_id: open, reason: 'restored' },
      { origin_id: marked, reason: 'restored' },
    ]);
    const decisions = await client.query('select flags from giro.decision');
    expect(decisions.rows).toEqual([{ flags: ['ECHO_MISMATCH', 'OPEN_TOO_LONG'] }]);
    await expect(client.query(`update giro.decision set reason = 'x'`)).rejects.toMatchObject({
      code: 'GR003',
    });
    await expect(client.query('delete from giro.doubt')).rejects.toMatchObject({ code: 'GR003' });
  });
});

describe('a login that is no superuser', () => {
  const login = `giro_test_login_${process.pid}_${Date.now()}`;
  const asLogin = (): string => {
    const url = new URL(database.url);
    url.username = login;
    url.password = 'secret-of-login';
    return url.href;
  };
  beforeEach(() => owner((admin) => admin.query(`create role ${login} login password 'secret-of-login'`)));
  afterEach(() =>
    owner(async (admin) => {
      await admin.query(`drop owned by ${login} cascade`);
      await admin.query(`drop role ${login}`);
    }),
  );

  test('may migrate and work when an administrator prepared role and database', async () => {
    await owner(async (admin) => {
      await migrateJournal(database.url); // the role exists by now, as on any server that had a journal
      await admin.query(`grant giro_runtime to ${login}`);
    });
    const own = await createTestDatabase('empty');
    const url = new URL(own.url);
    url.username = login;
    url.password = 'secret-of-login';
    try {
      await owner(
        (admin) => admin.query(`grant create on database ${new URL(own.url).pathname.slice(1)} to ${login}`),
        own.url,
      );
      await migrateJournal(url.href);
      expect(await checkJournal(url.href)).toEqual({ ready: true, newer: [] });
      const { journal, close } = createJournal(url.href);
      const originId = await openNew(journal);
      expect((await claim(journal, originId, 1, 'create')).kind).toBe('claimed');
      await journal.advanceSequence(1_000);
      expect((await journal.bindReference('r')).originId).toBe(1_000);
      await close();
    } finally {
      await own.drop();
    }
  });

  test('that may not take the role is told so, without its password', async () => {
    await migrateJournal(database.url);
    const expected = /may not work as role giro_runtime at 127\.0\.0\.1:[0-9]+\/giro_test_[0-9a-f]+: GRANT/;
    expect(await checkJournal(asLogin())).toEqual({ ready: false, problem: expect.stringMatching(expected) });
    const { journal, close } = createJournal(asLogin());
    const failure = await journal.transfer(1).catch((error: unknown) => error);
    await close();
    expect(failure).toBeInstanceOf(JournalNotReady);
    expect(JSON.stringify(failure) + String(failure)).not.toContain('secret-of-login');
  });

  test('that may not make the schema is told why', async () => {
    await expect(migrateJournal(asLogin())).rejects.toThrow(/^schema giro: permission denied for database/);
  });
});
