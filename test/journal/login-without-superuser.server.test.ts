import { Client } from 'pg';
import { startPostgres } from '../../dev/postgres';
import { Scope } from '../../dev/scope';
import { openDatabase } from '../../src/journal/database';
import { JOURNAL_ROLES } from '../../src/journal/identity';
import { migrateJournal } from '../../src/journal/migrate';

/** On a server of its own, because roles belong to the whole server: elsewhere a superuser has made them. */
const scope = new Scope();
afterAll(() => scope.release());

test('a login that may create roles migrates an empty database, and works as each of the roles', async () => {
  const server = scope.own(await startPostgres({ log: () => undefined }), (it) => it.stop());
  const url = new URL(await server.createDatabase('one_login'));
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  try {
    await admin.query("create role one_login login createrole password 'chosen-by-the-test'");
    await admin.query('alter database one_login owner to one_login');
  } finally {
    await admin.end();
  }
  url.username = 'one_login';
  url.password = 'chosen-by-the-test';
  await migrateJournal(url.href);
  for (const identity of JOURNAL_ROLES) {
    const database = openDatabase(url.href, { identity });
    try {
      const text = 'select current_user as role';
      expect(await database.run({ name: 'role', text }, [])).toEqual([{ role: identity }]);
    } finally {
      await database.close();
    }
  }
});
