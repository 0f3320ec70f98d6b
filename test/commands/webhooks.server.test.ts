import { Client } from 'pg';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { createJournal } from '../../src/journal/create-journal';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { giro as run } from './support/memory-io';

const TOKEN = 'webhook-token';
const SECRET_URL = 'https://pagos.example/webhooks/s3cret-s3cret-s3cret';
const MONEY = {
  eventType: 'NEW_MONEY_MOVEMENT',
  endpoint: SECRET_URL,
  info: 'Movements that require notification',
};

let database: TestDatabase;
let bank: SandboxBank;

beforeAll(async () => {
  database = await createTestDatabase();
  bank = await startSandboxBank({ tls: false, token: TOKEN });
});
afterAll(async () => {
  await bank.close();
  await database.drop();
});
beforeEach(() => subscribe([{ eventType: MONEY.eventType, endpoint: SECRET_URL }]));

async function subscribe(subscriptions: unknown): Promise<void> {
  const response = await fetch(`${bank.baseUrl}/sandbox/webhooks`, {
    method: 'PUT',
    body: JSON.stringify(subscriptions),
  });
  expect(response.status).toBe(200);
}

const giro = (line: string, more: Record<string, string> = {}) =>
  run(line.split(' '), {
    env: { DATABASE_URL: database.url, BANK_BASE_URL: bank.baseUrl, BANK_TOKEN: TOKEN, ...more },
  });

async function audit() {
  const { journal, close } = createJournal(database.url, { identity: 'giro_operator' });
  try {
    return await journal.auditEntries({ action: 'webhook unsubscribe', limit: 10 });
  } finally {
    await close();
  }
}

test('list: in JSON as the bank has it; in the table without the secret of the path', async () => {
  const { code, stdout } = await giro('webhook list --json');
  expect([code, JSON.parse(stdout)]).toEqual([0, [{ ...MONEY, standing: null }]]);
  const table = await giro('webhook list');
  expect(table.stdout).toContain('https://pagos.example/webhooks/…');
  expect(table.stdout).not.toContain('s3cret');
  await subscribe([]);
  expect((await giro('webhook list')).stdout).toBe('no subscriptions\n');
  expect(JSON.parse((await giro('webhook list --json')).stdout)).toEqual([]);
});

test('list shows what is expected, foreign, unexpected and missing', async () => {
  await subscribe([
    { eventType: 'A', endpoint: 'https://pagos.example/webhooks/one' },
    { eventType: 'B', endpoint: 'https://elsewhere.example/webhooks/one' },
    { eventType: 'C', endpoint: 'https://pagos.example/webhooks/one' },
  ]);
  const { code, stdout } = await giro('webhook list --json', {
    WEBHOOKS_EXPECTED:
      'A=https://pagos.example/webhooks/one,B=https://pagos.example/webhooks/one,D=https://pagos.example/webhooks/one',
  });
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { standing: string }[]).map(({ standing }) => standing)).toEqual([
    'expected',
    'foreign',
    'unexpected',
    'missing',
  ]);
  expect(JSON.parse(stdout)).toContainEqual({
    eventType: 'D',
    endpoint: null,
    standing: 'missing',
    info: null,
  });
});

test('unsubscribe: done at the bank, written down before and after; a second time there is nothing', async () => {
  const first = await giro('webhook unsubscribe NEW_MONEY_MOVEMENT --yes --operator ana --reason moved');
  expect([first.code, first.stdout]).toEqual([0, 'NEW_MONEY_MOVEMENT is unsubscribed\n']);
  expect(JSON.parse((await giro('webhook list --json')).stdout)).toEqual([]);
  expect(
    (await audit()).map(({ operator, subject, details }) => [operator, subject, details['stage']]),
  ).toEqual([
    ['ana', 'NEW_MONEY_MOVEMENT', 'done'],
    ['ana', 'NEW_MONEY_MOVEMENT', 'asked'],
  ]);
  const second = await giro('webhook unsubscribe NEW_MONEY_MOVEMENT --yes');
  expect([second.code, second.stderr]).toEqual([
    2,
    'giro: NEW_MONEY_MOVEMENT is not subscribed: there is nothing to unsubscribe\n',
  ]);
  expect(await audit()).toHaveLength(2);
});

test.each([
  [['--operator', 'Ana Pérez'], '--operator'],
  [['--reason', 'account 0009001600000000000017'], '--reason'],
])('unsubscribe %j is refused, and nothing is changed', async (option, named) => {
  const { code, stderr } = await run(['webhook', 'unsubscribe', 'NEW_MONEY_MOVEMENT', '--yes', ...option], {
    env: { DATABASE_URL: database.url, BANK_BASE_URL: bank.baseUrl, BANK_TOKEN: TOKEN },
  });
  expect(code).toBe(2);
  expect(stderr).toContain(named);
});

test('without --yes and without a terminal nothing is changed', async () => {
  const { code, stderr } = await giro('webhook unsubscribe NEW_MONEY_MOVEMENT');
  expect([code, stderr]).toEqual([2, 'giro: there is no terminal to ask for confirmation: add --yes\n']);
  expect(JSON.parse((await giro('webhook list --json')).stdout)).toHaveLength(1);
});

test('on a terminal the event type is typed', async () => {
  const typed = (answer: string) =>
    run(['webhook', 'unsubscribe', 'NEW_MONEY_MOVEMENT'], {
      env: { DATABASE_URL: database.url, BANK_BASE_URL: bank.baseUrl, BANK_TOKEN: TOKEN },
      stdin: answer,
      stderrIsTerminal: true,
    });
  expect((await typed('y\n')).code).toBe(2);
  // Ctrl-D, before anything and in the middle of the word.
  for (const cut of ['', 'NEW_'])
    expect(await typed(cut)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not confirmed, nothing was changed') as string,
    });
  expect(JSON.parse((await giro('webhook list --json')).stdout)).toHaveLength(1);
  expect((await typed('NEW_MONEY_MOVEMENT\n')).code).toBe(0);
  expect(JSON.parse((await giro('webhook list --json')).stdout)).toEqual([]);
});

test('the bank refuses the token, or is away: exit 4', async () => {
  const refused = await giro('webhook list', { BANK_TOKEN: 'other' });
  expect([refused.code, refused.stderr]).toEqual([
    4,
    'giro: the bank gave no answer: UNAUTHORIZED (HTTP 401)\n',
  ]);
  expect((await giro('webhook list', { BANK_BASE_URL: 'http://127.0.0.1:1' })).code).toBe(4);
});

test('a bad WEBHOOKS_EXPECTED is reported without its address', async () => {
  const { code, stderr } = await giro('webhook list', {
    WEBHOOKS_EXPECTED: 'A=http://pagos.example/webhooks/s3cret',
  });
  expect(code).toBe(2);
  expect(stderr).toContain(
    'WEBHOOKS_EXPECTED is (set, not shown): entry 1 has an address that is http:// and not on loopback',
  );
  expect(stderr).not.toContain('s3cret');
});

test('unresolved: says when it lists only the first thousand of a kind', async () => {
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  const setAside = (from: number, to: number) =>
    owner.query(
      `insert into giro.notification (delivery_key, body, due_at, outcome, done_at)
       select 'key-' || n, '', null, 'set-aside', clock_timestamp() from generate_series($1::integer, $2) n`,
      [from, to],
    );
  try {
    await setAside(1, 999);
    expect((await giro('webhook unresolved --json')).stderr).toBe('');
    await setAside(1_000, 1_001);
    const { stdout, stderr } = await giro('webhook unresolved --json');
    expect(JSON.parse(stdout)).toHaveLength(1_000);
    expect(stderr).toBe('of each kind only 1000 are listed: there may be more\n');
  } finally {
    await owner.end();
  }
});
