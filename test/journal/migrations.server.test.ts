import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { checkJournal } from '../../src/journal/check-journal';
import { createEveryJournal } from '../../dev/every-identity';
import { JOURNAL_ROLES } from '../../src/journal/identity';
import { createJournal } from '../../src/journal/create-journal';
import { JournalNotReady } from '../../src/journal/errors';
import { migrateJournal } from '../../src/journal/migrate';
import { readMigrations } from '../../src/journal/migration-files';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { PATIENT } from './support/open-test-journal';
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

/** Adds a migration to `folder`, as a newer program would have it; its name. */
async function addLater(what: string, sql: string): Promise<string> {
  const name = `${String((await readMigrations(folder)).length + 1).padStart(4, '0')}-${what}.sql`;
  await writeFile(path.join(folder, name), sql);
  return name;
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
    'another build made this journal: 0001-append-only.sql differs. Run that build; a journal that has sent anything is never replaced by an empty one',
  );
});

test('a journal that another build made with migrations of its own is refused and stays as it is', async () => {
  const [, ...later] = await readMigrations();
  for (const { name } of later) await rm(path.join(folder, name));
  const others: string[] = [];
  for (const what of [...later.map(() => 'other'), 'further']) others.push(await addLater(what, '-- other'));
  await migrateJournal(database.url, { folder });
  const schema = await dumpSchema(database.url);

  const differing = others.slice(0, later.length).join(', ');
  const problem = `another build made this journal: ${differing} differ. Run that build; a journal that has sent anything is never replaced by an empty one`;
  const failure = await migrateJournal(database.url).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(JournalNotReady);
  expect(failure).toHaveProperty('message', problem);
  expect(await checkJournal(database.url)).toEqual({ ready: false, problem });
  expect(await dumpSchema(database.url)).toBe(schema);
});

test('migrations of a newer program are ignored and reported', async () => {
  await writeFile(path.join(folder, '0099-later.sql'), '');
  await expect(readMigrations(folder)).rejects.toThrow('migration 0099-later.sql is not named as number');
  await rm(path.join(folder, '0099-later.sql'));
  const next = await addLater('later', 'create table giro.later (id integer);');
  await migrateJournal(database.url, { folder });
  expect(await migrateJournal(database.url)).toEqual({ applied: [], newer: [next] });
  expect(await checkJournal(database.url)).toEqual({ ready: true, newer: [next] });
});

test('a file that fails leaves nothing behind, and earlier files stay applied', async () => {
  const next = await addLater('broken', 'create table giro.half (id integer); select * from giro.nothing;');
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
  const { journal, close } = createJournal(database.url, { timeouts: PATIENT });
  await expect(journal.transfer(1)).rejects.toThrow(/missing or older than this program: run setup/);
  await close();
  await migrateJournal(database.url);
  expect(await checkJournal(database.url)).toMatchObject({ ready: true });
});

test('a later migration changes the rows of a journal in use', async () => {
  await migrateJournal(database.url);
  const { journal, close } = createJournal(database.url, { timeouts: PATIENT });
  await openNew(journal);
  await close();
  const name = await addLater(
    'filled',
    `alter table giro.transfer add column currency text;
     alter table giro.transfer disable trigger append_only;
     update giro.transfer set currency = order_json #>> '{body,currencyId}';
     alter table giro.transfer enable always trigger append_only;`,
  );
  expect(await migrateJournal(database.url, { folder })).toEqual({ applied: [name], newer: [] });
  await owner(async (client) => {
    const { rows } = await client.query('select currency from giro.transfer');
    expect(rows).toEqual([{ currency: '032' }]);
    await expect(client.query('update giro.transfer set currency = null')).rejects.toMatchObject({
      code: 'GR003',
    });
  });
});

describe('an index on a table in use', () => {
  /** Of a table that a writer has changed and not committed yet. */
  const BUILD = 'index later_by_id on giro.later (id);';
  const CONCURRENTLY = `-- no transaction
-- A failed build leaves an invalid index;
drop index concurrently if exists giro.later_by_id;
create ${BUILD.replace('index', 'index concurrently')}
`;
  const isValid = () =>
    owner(async (client) => {
      const { rows } = await client.query(
        "select indisvalid from pg_index where indexrelid = to_regclass('giro.later_by_id')",
      );
      return (rows as { indisvalid: boolean }[])[0]?.indisvalid ?? null;
    });
  beforeEach(async () => {
    await migrateJournal(database.url, { folder });
    await addLater('table', 'create table giro.later (id integer);');
    await migrateJournal(database.url, { folder });
  });

  async function isWaiting(client: Client): Promise<void> {
    for (;;) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query ~ '^\\s*create index'`,
      );
      if (rowCount !== 0) return;
      await setTimeout(20);
    }
  }
  /** Inserts while a migration that builds the index waits for another writer; the SQLSTATE of a refusal. */
  const writeDuring = (migrations: number) =>
    owner((slow) =>
      owner(async (writer) => {
        await slow.query('begin; insert into giro.later values (1)');
        const building = Array.from({ length: migrations }, () => migrateJournal(database.url, { folder }));
        await isWaiting(writer);
        await writer.query("set lock_timeout = '1s'");
        const written = await writer.query('insert into giro.later values (2)').then(
          () => 'written',
          (error: unknown) => (error as { readonly code?: string }).code,
        );
        await slow.query('commit');
        const reports = await Promise.all(building);
        return [written, reports.flatMap(({ applied }) => applied)];
      }),
    );

  test('outside a transaction its build blocks no writer, nor does it wait for a second set-up', async () => {
    const name = await addLater('index', CONCURRENTLY);
    expect(await writeDuring(2)).toEqual(['written', [name]]);
    expect(await isValid()).toBe(true);
    expect(await migrateJournal(database.url, { folder })).toEqual({ applied: [], newer: [] });
  });

  test('inside a transaction it blocks writers', async () => {
    const name = await addLater('index', `create ${BUILD}`);
    expect(await writeDuring(1)).toEqual(['55P03', [name]]);
  });

  test('whose build fails is built again by the next run', async () => {
    await owner((client) => client.query('insert into giro.later values (1), (1)'));
    const name = await addLater('index', CONCURRENTLY.replace('create index', 'create unique index'));
    await expect(migrateJournal(database.url, { folder })).rejects.toThrow(
      new RegExp(`^migration ${name}: .*23505`),
    );
    expect(await isValid()).toBe(false);
    await owner((client) => client.query('truncate giro.later'));
    expect(await migrateJournal(database.url, { folder })).toEqual({ applied: [name], newer: [] });
    expect(await isValid()).toBe(true);
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

  test('may migrate and work when an administrator prepared roles and database', async () => {
    await owner(async (admin) => {
      await migrateJournal(database.url); // the roles exist by now, as on any server that had a journal
      await admin.query(`grant ${JOURNAL_ROLES.join()} to ${login}`);
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
      const { journal, close } = createEveryJournal(url.href, { timeouts: PATIENT });
      const originId = await openNew(journal);
      expect((await claim(journal, originId, 1, 'create')).kind).toBe('claimed');
      await journal.advanceSequence(1_000);
      expect((await journal.bindReference('r')).originId).toBe(1_000);
      await close();
    } finally {
      await own.drop();
    }
  });

  test('that may not take the role is reported, without its password', async () => {
    await migrateJournal(database.url);
    const expected = /may not work as role giro_runtime at 127\.0\.0\.1:[0-9]+\/giro_test_[0-9a-f]+: GRANT/;
    expect(await checkJournal(asLogin())).toEqual({ ready: false, problem: expect.stringMatching(expected) });
    const { journal, close } = createJournal(asLogin(), { timeouts: PATIENT });
    const failure = await journal.transfer(1).catch((error: unknown) => error);
    await close();
    expect(failure).toBeInstanceOf(JournalNotReady);
    expect(JSON.stringify(failure) + String(failure)).not.toContain('secret-of-login');
  });

  test('that may not make the schema gets the reason', async () => {
    await expect(migrateJournal(asLogin())).rejects.toThrow(/^schema giro: permission denied for database/);
  });
});
