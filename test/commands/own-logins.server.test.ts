import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { Client as Session } from 'pg';
import { GiroClient, openReferenceJournal } from '../../src/client';
import { loginCheck, sendingCheck } from '../../src/doctor/journal-checks';
import { JOURNAL_ROLES } from '../../src/journal/identity';
import type { JournalRole } from '../../src/journal/identity';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { giro as run } from './support/memory-io';
import { orderByReference } from './support/orders';
import { startTestWorker } from './support/test-worker';
import type { TestWorker } from './support/test-worker';

/** Giro as it is to be installed: each process with a login of its own, a member of its own role alone. */
const taskQueue = `own-logins-${randomUUID()}`;
const suffix = randomBytes(6).toString('hex');
const made: string[] = [];
let database: TestDatabase;
let owner: Session;
let worker: TestWorker;
const urls = new Map<JournalRole, string>();

/** The address of a new login with these rights. */
async function login(name: string, ...rights: readonly string[]): Promise<string> {
  const role = `giro_test_${name}_${suffix}`;
  await owner.query(`create role ${role} login password 'canary'`);
  made.push(role);
  for (const right of rights) await owner.query(`${right} to ${role}`);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'canary';
  return url.href;
}

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Session({ connectionString: database.url });
  await owner.connect();
  // The engine is shared: no other test's transfer has these ids.
  await owner.query("select setval('giro.origin_id', $1)", [randomInt(2 ** 40, 2 ** 47)]);
  for (const role of JOURNAL_ROLES) urls.set(role, await login(role, `grant ${role}`));
  worker = await startTestWorker(urlOf('giro_runtime'), taskQueue);
});
afterAll(async () => {
  await worker.stop();
  await owner.end();
  await database.drop();
  const admin = new Session({ connectionString: testServers().postgresAdminUrl });
  await admin.connect();
  for (const role of made) await admin.query(`drop role ${role}`);
  await admin.end();
});

const urlOf = (role: JournalRole): string => urls.get(role) ?? '';
const giro = (role: JournalRole, line: string, stdin?: unknown) =>
  run(line.split(' '), {
    env: {
      TEMPORAL_ADDRESS: testServers().temporalAddress,
      DATABASE_URL: urlOf(role),
      GIRO_TASK_QUEUE: taskQueue,
      BANK_BASE_URL: 'http://127.0.0.1:1',
      BANK_TOKEN: 'none',
    },
    ...(stdin === undefined ? {} : { stdin: JSON.stringify(stdin) }),
  });

test('a transfer by reference: started as a client, driven by the worker, seen and braked by people', async () => {
  const reference = `r-${randomUUID()}`;
  const started = await giro('giro_client', 'transfer start - --wait --json', orderByReference(reference));
  expect(started).toMatchObject({ code: 0 });
  const { originId } = JSON.parse(started.stdout) as { readonly originId: number };
  expect(await giro('giro_client', 'events')).toMatchObject({ code: 0 });

  const shown = await giro('giro_operator', `transfer show ${originId} --json`);
  expect(JSON.parse(shown.stdout)).toMatchObject({ originId, reference, status: 'COMPLETED' });
  for (const command of [
    ...['transfer list', 'annulment list', 'incident list', 'reconcile breaks', 'kyc list', 'recover'],
    ...['sending stop --reason drill', 'sending show', 'sending go --reason over'],
  ]) {
    expect([command, await giro('giro_operator', command)]).toEqual([
      command,
      expect.objectContaining({ code: 0 }),
    ]);
  }
});

test('GiroClient binds references and reads events with the login of a client', async () => {
  const connection = await Connection.connect({ address: testServers().temporalAddress });
  const journal = openReferenceJournal(urlOf('giro_client'));
  const client = new GiroClient({ client: new Client({ connection }), taskQueue, journal });
  try {
    const { originId } = await client.startTransfer(orderByReference(`r-${randomUUID()}`));
    expect(await client.waitForTransfer(originId)).toMatchObject({ status: 'COMPLETED' });
    expect((await client.events()).map((event) => event.originId)).toContain(originId);
  } finally {
    await journal.close();
    await connection.close();
  }
});

test.each([
  ['giro_client', 'sending go --reason x', 'giro_operator'],
  ['giro_receiver', 'transfer list', 'giro_operator'],
  ['giro_runtime', 'sending go --reason x', 'giro_operator'],
  ['giro_operator', 'events', 'giro_client'],
] as const)('%s may not run %s', async (role, command, wanted) => {
  expect(await giro(role, command)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`may not work as role ${wanted}`) as string,
  });
});

describe('doctor says as whom a login works, and what it is beyond that', () => {
  const judged = (url: string) => loginCheck(url).run();

  test.each(JOURNAL_ROLES)('%s alone is well', async (role) => {
    expect(await judged(urlOf(role))).toEqual({ ok: true, detail: `works as ${role} alone`, remedy: null });
  });

  test('a superuser, the owner and a login of two roles are warned of; one of none is wrong', async () => {
    const both = await login('both', 'grant giro_runtime, giro_operator');
    const none = await login('none');
    const owning = await login('owning', 'grant giro_runtime');
    await owner.query(`alter schema giro owner to giro_test_owning_${suffix}`);
    const remedy = expect.stringContaining('docs/security.md') as string;
    for (const [url, ok, detail] of [
      [database.url, true, 'the login of DATABASE_URL is a superuser'],
      [owning, true, 'the login of DATABASE_URL owns the journal'],
      [both, true, 'the login of DATABASE_URL may also work as giro_operator'],
      [none, false, 'the login of DATABASE_URL is a member of no role of Giro'],
    ] as const) {
      expect(await judged(url)).toEqual({ ok, detail, remedy });
    }
  });
});

test.each([
  ['giro_runtime', 'creates go out', null],
  ['giro_operator', 'creates go out', null],
  ['giro_client', 'not checked: giro_client may not read it', /operator or a worker/],
  ['giro_receiver', 'not checked: giro_receiver may not read it', /operator or a worker/],
] as const)('doctor with the login of %s says what that login cannot check', async (role, detail, remedy) => {
  const expected = {
    ok: true,
    detail,
    remedy: remedy === null ? null : (expect.stringMatching(remedy) as string),
  };
  expect(await sendingCheck(urlOf(role)).run()).toEqual(expected);
});

test('with a wrong password doctor still gives a result', async () => {
  const url = new URL(urlOf('giro_operator'));
  url.password = 'wrong';
  expect(await sendingCheck(url.href).run()).toMatchObject({
    ok: false,
    detail: 'the journal gave no answer',
  });
});
