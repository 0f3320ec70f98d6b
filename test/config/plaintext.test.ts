import { Client } from 'pg';
import { loadSettings } from '../../src/config/settings';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());
const journal = (DATABASE_URL: string, more: Record<string, string> = {}) =>
  loadSettings({ DATABASE_URL, ...more }, ['journal']).config.journal.transport;
const temporal = (TEMPORAL_ADDRESS: string, more: Record<string, string> = {}) =>
  loadSettings({ TEMPORAL_ADDRESS, ...more }, ['temporal']).config.temporal.transport;

describe('PostgreSQL', () => {
  const REFUSED =
    /DATABASE_URL.*not on loopback and lacks verified TLS: add sslmode=verify-full .*or name postgres in ALLOW_PLAINTEXT/;
  const ca = files.write('ca.pem', 'an authority');

  test.each([
    'postgres://u:p@127.0.0.1/d',
    'postgres://u:p@localhost:5433/d?sslmode=disable',
    'postgres://u:p@[::1]/d',
    'postgres:///d?host=/var/run/postgresql',
    'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/d',
  ])('%s is this machine', (url) => expect(journal(url)).toBe('loopback'));

  test.each([
    '',
    '?sslmode=disable',
    '?sslmode=no-verify',
    '?ssl=false',
    '?ssl=no-verify',
    '?sslmode=verify-full&sslmode=disable',
    '?sslmode=verify-full&sslmode=no-verify',
    '?uselibpqcompat=true&sslmode=prefer',
    '?uselibpqcompat=true&sslmode=require',
    `?uselibpqcompat=true&sslmode=require&sslrootcert=${ca}`,
    `?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${ca}`,
    '?application_name=sslmode=verify-full',
    '?host=',
    '?host=127.0.0.1&host=',
  ])('a server that is not on loopback is refused with %s, unless it is named', (query) => {
    const url = `postgres://u:canary@db.example/d${query}`;
    expect(() => journal(url)).toThrow(REFUSED);
    expect(() => journal(url)).not.toThrow(/canary/);
    expect(() => journal(url, { ALLOW_PLAINTEXT: 'temporal' })).toThrow(REFUSED);
    expect(journal(url, { ALLOW_PLAINTEXT: 'temporal, postgres' })).toBe('plaintext');
    expect(isVerifiedByPg(url)).toBe(false);
  });

  test.each([
    '?sslmode=verify-full',
    '?sslmode=verify-ca',
    '?sslmode=require',
    '?ssl=true',
    `?sslrootcert=${ca}`,
    '?sslnegotiation=direct',
    '?uselibpqcompat=true&sslmode=verify-full',
  ])('a server that is not on loopback is verified with %s', (query) => {
    const url = `postgres://u:p@db.example/d${query}`;
    expect(journal(url)).toBe('verified-tls');
    expect(isVerifiedByPg(url)).toBe(true);
  });

  test('the host that node-postgres takes counts', () => {
    expect(() => journal('postgres://u:p@127.0.0.1/d?host=db.example')).toThrow(REFUSED);
    expect(() => journal('postgres://u:p@127.0.0.256/d')).toThrow(REFUSED);
  });

  /** What the library itself would connect with. */
  function isVerifiedByPg(connectionString: string): boolean {
    const { ssl } = new Client({ connectionString }) as unknown as {
      ssl: boolean | string | { rejectUnauthorized?: boolean; checkServerIdentity?: unknown };
    };
    if (typeof ssl !== 'object') return ssl === true;
    return ssl.rejectUnauthorized !== false && ssl.checkServerIdentity === undefined;
  }
});

describe('Temporal', () => {
  const REFUSED =
    /TEMPORAL_ADDRESS.*not on loopback and lacks verified TLS: set TEMPORAL_TLS=1 .*or name temporal in ALLOW_PLAINTEXT/;

  test('a server that is not on loopback is refused without TLS, unless it is named', () => {
    expect(() => temporal('temporal.example:7233')).toThrow(REFUSED);
    expect(() => temporal('temporal.example:7233', { TEMPORAL_TLS: '0' })).toThrow(REFUSED);
    expect(() => temporal('temporal.example', { ALLOW_PLAINTEXT: 'postgres' })).toThrow(REFUSED);
    expect(temporal('temporal.example', { ALLOW_PLAINTEXT: 'temporal' })).toBe('plaintext');
  });

  test('an address of the profile file is judged too', () => {
    const file = files.write('temporal.toml', '[profile.default]\naddress = "temporal.example:7233"\n');
    expect(() => loadSettings({ TEMPORAL_CONFIG_FILE: file }, ['temporal'])).toThrow(REFUSED);
  });

  test('loopback, TLS and an API key need no permission', () => {
    expect(temporal('127.0.0.1:7233')).toBe('loopback');
    expect(temporal('temporal.example', { TEMPORAL_TLS: '1' })).toBe('verified-tls');
    expect(temporal('temporal.example', { TEMPORAL_API_KEY: 'key' })).toBe('verified-tls');
  });
});

test('the switch of Node that lets any server pass is no verified TLS', () => {
  const off = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const why = /NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pass: unset it/;
  expect(() => temporal('temporal.example', { TEMPORAL_TLS: '1', ...off })).toThrow(why);
  expect(() => journal('postgres://u:p@db.example/d?sslmode=verify-full', off)).toThrow(why);
});

test('any other value is refused', () => {
  const env = { ALLOW_PLAINTEXT: 'bank', DATABASE_URL: 'postgres://u:p@db.example/d' };
  expect(() => loadSettings(env, ['journal'])).toThrow(/ALLOW_PLAINTEXT is "bank": entry 1 is not one of/);
});
