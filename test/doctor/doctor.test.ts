import { deadPort } from '../bank/local-server';
import { validate } from '../schemas/validate';
import { NO_SERVERS, giro } from '../commands/support/memory-io';
import { makeKey } from '../../dev/made-ssh-keys';
import { temporaryFiles } from '../config/temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const bank = async () => ({
  BANK_BASE_URL: `https://127.0.0.1:${await deadPort()}`,
  BANK_TOKEN: 'canary-token',
});

interface CheckResult {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy: string | null;
}

test('with no server: every check runs, each failure has its remedy, exit code 1', async () => {
  const env = { ...NO_SERVERS, ...(await bank()) };
  const [json, text] = await Promise.all([giro(['doctor', '--json'], { env }), giro(['doctor'], { env })]);
  const results = JSON.parse(json.stdout) as CheckResult[];
  for (const result of results) expect(validate('doctor-finding', result)).toBeNull();
  expect(results.map(({ check, ok }) => `${check} ${ok}`)).toEqual([
    'temporal false',
    'search-attributes false',
    'recovery false',
    'reconciliation false',
    'journal false',
    'login false',
    'durability false',
    'sending false',
    'transport true',
    'codec true',
    'deciders true',
    'order-proofs true',
    'bank-tls false',
    'bank-token true',
    'bank-look-up false',
    'certificates false',
    'clock false',
  ]);
  expect(results.find(({ check }) => check === 'transport')?.detail).toBe(
    'PostgreSQL: this machine itself; Temporal: this machine itself',
  );
  for (const { ok, remedy } of results) if (!ok) expect(remedy).not.toBeNull();
  // What works as configured, and is not safe enough for money.
  const isWarning = ({ ok, remedy }: CheckResult): boolean => ok && remedy !== null;
  expect(results.filter(isWarning).map(({ check }) => check)).toEqual(['codec', 'deciders']);
  expect(text.stdout).toMatch(
    /^WARN {3}codec +payloads and orders are in clear; without ORDER_SIGNERS_FILE, a forged row of the journal is paid if it keeps the limits on orders: set CODEC_KEYS_FILE$/m,
  );
  expect(text.stdout).toMatch(/^WARN {3}deciders +nobody can decide what takes two operators: set DECIDERS/m);
  // For people: one line a check.
  const lines = text.stdout.trimEnd().split('\n');
  expect(lines.map((line) => /^(?:ok {3}|WARN |WRONG) {2}([a-z-]+) +\S/.exec(line)?.[1])).toEqual(
    results.map(({ check }) => check),
  );
  expect(lines.find((line) => line.includes('bank-tls'))).toMatch(
    /cannot be reached .*: check BANK_BASE_URL/,
  );
  expect(json.stdout + text.stdout).not.toMatch(/canary|swordfish/);
  expect([json.code, text.code]).toEqual([1, 1]);
});

test('connections in clear by ALLOW_PLAINTEXT are reported', async () => {
  const env = {
    ...{ ...NO_SERVERS, ...(await bank()), ALLOW_PLAINTEXT: 'postgres,temporal' },
    DATABASE_URL: 'postgres://u:canary@db.invalid/d',
    TEMPORAL_ADDRESS: 'temporal.invalid:7233',
  };
  const { stdout } = await giro(['doctor', '--json'], { env });
  const clear =
    'not protected: anybody on the network path can read and change the traffic (permitted by ALLOW_PLAINTEXT)';
  expect(JSON.parse(stdout)).toContainEqual({
    ...{ check: 'transport', ok: true, remedy: null },
    detail: `PostgreSQL: ${clear}; Temporal: ${clear}`,
  });
});

test('if a server is not on loopback and lacks TLS, no command starts: exit code 2', async () => {
  const env = { ...NO_SERVERS, ...(await bank()), DATABASE_URL: 'postgres://u:canary@db.invalid/d' };
  const { code, stderr } = await giro(['doctor'], { env });
  expect(code).toBe(2);
  expect(stderr).toMatch(/DATABASE_URL .*sslmode=verify-full.*ALLOW_PLAINTEXT/);
  expect(stderr).not.toContain('canary');
});

test('a wrong configuration is no failed check: exit code 2', async () => {
  const { code, stdout, stderr } = await giro(['doctor', '--json'], { env: NO_SERVERS });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('BANK_BASE_URL');
});

test.each([
  ['one name', 'ana', 'WARN'],
  ['one name in two spellings', 'ana,Ana', 'WARN'],
  ['two names', 'ana,luis', 'ok  '],
])('DECIDERS with %s: two operators or a warning', async (_, DECIDERS, word) => {
  const { stdout } = await giro(['doctor'], { env: { ...NO_SERVERS, ...(await bank()), DECIDERS } });
  expect(/^.*(?= +deciders )/m.exec(stdout)?.[0].slice(0, 4) ?? stdout).toBe(word);
});

test.each([
  ['one', '', 'WARN'],
  ['a second one who has left', 'luis valid-before="20260101Z"', 'WARN'],
  ['a second one from a later day on', 'luis valid-after="29990101Z"', 'WARN'],
  ['a second one whose key is for something else', 'luis namespaces="git"', 'WARN'],
  ['two', 'luis namespaces="git,giro-decision",valid-after="20260101Z"', 'ok  '],
])('DECIDERS_FILE with %s', async (_, other, word) => {
  const [mine, theirs] = [makeKey(), makeKey()];
  const line = other === '' ? '' : `${other} ${theirs.type} ${theirs.base64}\n`;
  const DECIDERS_FILE = files.write('signers', `ana ${mine.type} ${mine.base64}\n${line}`);
  const { stdout } = await giro(['doctor'], { env: { ...NO_SERVERS, ...(await bank()), DECIDERS_FILE } });
  expect(/^.*(?= +deciders )/m.exec(stdout)?.[0].slice(0, 4) ?? stdout).toBe(word);
});
