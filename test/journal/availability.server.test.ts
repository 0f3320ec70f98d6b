import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Client } from 'pg';
import { journalCheck } from '../../src/doctor/journal-checks';
import { checkJournal } from '../../src/journal/check-journal';
import { createJournal } from '../../src/journal/create-journal';
import { openDatabase } from '../../src/journal/database';
import type { DatabaseOptions } from '../../src/journal/database';
import { migrateJournal } from '../../src/journal/migrate';
import { JournalUnavailable } from '../../src/journal/errors';
import { openTestJournal, PATIENT } from './support/open-test-journal';
import { openNew } from './support/transfers';

const PASSWORD = 'hunter2-and-more';
const GIVEN_UP_MS = 500;

/** What the journal throws at `url`; never with the password, anywhere in it. */
async function failureAt(url: string, timeouts: DatabaseOptions['timeouts'] = PATIENT): Promise<unknown> {
  const { journal, close } = createJournal(url, { timeouts });
  const failure: unknown = await journal.transfer(1).catch((error: unknown) => error);
  await close();
  const whole =
    failure instanceof Error ? `${String(failure)} ${failure.stack ?? ''} ${JSON.stringify(failure)}` : '';
  expect(whole).not.toBe('');
  expect(whole).not.toContain(PASSWORD);
  return failure;
}

function listen(onSocket: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const server = createServer(onSocket);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ server, url: `postgresql://giro:${PASSWORD}@127.0.0.1:${port}/giro` });
    });
  });
}

test('nobody listens', async () => {
  const { server, url } = await listen(() => undefined);
  await new Promise((closed) => server.close(closed));
  const failure = await failureAt(url);
  expect(failure).toBeInstanceOf(JournalUnavailable);
  expect(String(failure)).toMatch(
    /PostgreSQL at 127\.0\.0\.1:[0-9]+\/giro cannot be reached \(ECONNREFUSED\)/,
  );
  await expect(checkJournal(url)).rejects.toBeInstanceOf(JournalUnavailable);
  await expect(migrateJournal(url)).rejects.toBeInstanceOf(JournalUnavailable);
});

test('somebody listens and hangs up', async () => {
  const { server, url } = await listen((socket) => socket.destroy());
  expect(await failureAt(url)).toBeInstanceOf(JournalUnavailable);
  await new Promise((closed) => server.close(closed));
});

test('somebody listens and says nothing', async () => {
  const sockets: Socket[] = [];
  const { server, url } = await listen((socket) => sockets.push(socket));
  const failure = await failureAt(url, { ...PATIENT, connectMs: GIVEN_UP_MS });
  expect(failure).toBeInstanceOf(JournalUnavailable);
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

test.each([
  ['cannot start a process for the connection', (socket: Socket) => socket.end('Ecould not fork\n\0')],
  [
    'breaks the TLS handshake off with an alert',
    (socket: Socket) => {
      socket.write('S');
      socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 80])));
    },
  ],
])('a server that is asked for TLS and %s', async (_, answer) => {
  const { server, url } = await listen((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  expect(await failureAt(`${url}?sslmode=require`)).toBeInstanceOf(JournalUnavailable);
  await new Promise((closed) => server.close(closed));
});

test('a host that has no address', async () => {
  expect(await failureAt(`postgresql://giro:${PASSWORD}@no-such-host.invalid/giro`)).toBeInstanceOf(
    JournalUnavailable,
  );
});

describe('on a real server', () => {
  let db: Awaited<ReturnType<typeof openTestJournal>>;
  beforeAll(async () => (db = await openTestJournal()));
  afterAll(() => db.close());

  test('a wrong password and a database that is not there', async () => {
    const wrong = new URL(db.url);
    wrong.password = PASSWORD;
    expect(String(await failureAt(wrong.href))).toMatch(/JournalUnavailable: .*refuses the password/);
    const absent = new URL(db.url);
    absent.pathname = '/giro_absent';
    expect(String(await failureAt(absent.href))).toMatch(/JournalUnavailable: .*has no such database/);
  });

  test('a connection that is cut: the call in flight fails as unavailable, the next one works', async () => {
    const timeouts = { ...PATIENT, statementMs: 900_000 };
    const database = openDatabase(db.url, { poolMax: 1, timeouts });
    const sleeping = database.run({ name: 'sleep', text: 'select pg_sleep(900)' }, []);
    const failed = expect(sleeping).rejects.toBeInstanceOf(JournalUnavailable);
    await cut(db, `query like '%pg_sleep(900)%' and state = 'active' and pid <> pg_backend_pid()`);
    await failed;
    expect(await database.run({ name: 'one', text: 'select 1 as one' }, [])).toEqual([{ one: 1 }]);
    // An idle one that breaks ends neither the process nor the next call.
    await cut(db, `query = 'select 1 as one' and state = 'idle'`);
    for (;;) {
      const again = await database
        .run({ name: 'one', text: 'select 1 as one' }, [])
        .catch((error: unknown) => error);
      if (!(again instanceof JournalUnavailable)) {
        expect(again).toEqual([{ one: 1 }]);
        break;
      }
    }
    await database.close();
  });

  test('a statement that takes too long is given up by the server', async () => {
    const database = openDatabase(db.url, { timeouts: { ...PATIENT, statementMs: GIVEN_UP_MS } });
    let failure: unknown;
    // On a busy machine the client may give up first, 2 s later.
    for (let tries = 0; tries < 10; tries += 1) {
      failure = await database
        .run({ name: 'sleep', text: 'select pg_sleep(30)' }, [])
        .catch((error: unknown) => error);
      if (!String(failure).includes('Query read timeout')) break;
    }
    await database.close();
    expect(failure).toBeInstanceOf(JournalUnavailable);
    expect(String(failure)).toMatch(/took too long/);
  });

  test('a refused row shows none of its values', async () => {
    const originId = await openNew(db.journal);
    const failure: unknown = await db.journal
      .bindReference(`Ana Pérez 20218346414 ${'x'.repeat(60)}`)
      .catch((error: unknown) => error);
    expect(String(failure)).toBe(
      'JournalStatementError: journal, bind-reference: SQLSTATE 23514, reference_reference_check',
    );
    expect(JSON.stringify(failure)).not.toContain('20218346414');
    expect(originId).toBeGreaterThan(0);
  });
});

async function cut({ url }: { readonly url: string }, where: string): Promise<void> {
  const owner = new Client({ connectionString: url });
  await owner.connect();
  for (;;) {
    const { rowCount } = await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ${where}`,
    );
    if (rowCount !== null && rowCount > 0) break;
  }
  await owner.end();
}

test('a standby answers every read, and is no journal', async () => {
  const { url, close } = await openTestJournal();
  try {
    expect(await checkJournal(url)).toMatchObject({ ready: true });
    const admin = new Client({ connectionString: url });
    await admin.connect();
    await admin.query(`alter database ${admin.database} set default_transaction_read_only = on`);
    await admin.end();
    await expect(checkJournal(url)).rejects.toThrow(/^PostgreSQL at .*: is read-only, perhaps a standby$/);
    expect(await journalCheck(url).run()).toMatchObject({ ok: false });
  } finally {
    await close();
  }
});
