import { ConfigError } from '../../src/config/config-error';
import { readEnv } from '../../src/config/env';
import { loadSettings } from '../../src/config/settings';
import type { Need } from '../../src/config/settings';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { makeAuthority } from '../bank/certificates';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const ALL: readonly Need[] = [
  'logging',
  'temporal',
  'journal',
  'bank',
  'orderLimits',
  'transferSettings',
  'worker',
];
const MINIMAL = {
  DATABASE_URL: 'postgres://giro:db-canary@db.example:5433/giro?sslmode=verify-full',
  BANK_BASE_URL: 'https://bank.example',
  BANK_TOKEN: 'token-canary',
};

const NO_TLS = {
  files: { ca: null, cert: null, key: null, passphrase: null },
  material: { caPem: null, client: null },
};

test('the defaults are those of the contract', () => {
  const { config, secrets, warnings } = loadSettings(MINIMAL, ALL);
  expect(config).toEqual({
    logging: { level: 'info' },
    temporal: { address: 'localhost:7233', namespace: 'default', taskQueue: 'giro', transport: 'loopback' },
    journal: { host: 'db.example', database: 'giro', transport: 'verified-tls' },
    bank: {
      baseUrl: 'https://bank.example',
      onLoopback: false,
      authStyleTransfers: 'raw',
      authStyleWebhooks: 'bearer',
      createTimeoutMs: 30_000,
      lookupTimeoutMs: 5_000,
      maxRps: 100,
      refused: { statuses: [400, 422], code: null },
      notFound: { statuses: [404], code: null },
      verifications: { method: 'GET', authStyle: 'raw' },
      sandbox: false,
    },
    orderLimits: DEFAULT_ORDER_LIMITS,
    transferSettings: DEFAULT_TRANSFER_SETTINGS,
    worker: { httpAddress: null, version: null },
  });
  expect(secrets).toEqual({
    temporal: { connection: { address: 'localhost:7233' }, keyRing: null },
    journal: { databaseUrl: MINIMAL.DATABASE_URL, keyRing: null, clearBefore: null },
    bank: { token: { kind: 'static', token: 'token-canary' }, headers: {}, tls: NO_TLS, hmac: null },
  });
  expect(warnings).toEqual([]);
});

test('CODEC_CLEAR_BEFORE is a time in UTC', () => {
  const clearBefore = (text: string) =>
    loadSettings({ ...MINIMAL, CODEC_CLEAR_BEFORE: text }, ['journal']).secrets.journal.clearBefore;
  expect(clearBefore('2026-01-05T10:00:00Z')).toEqual(new Date(Date.UTC(2026, 0, 5, 10)));
  for (const text of [
    '2026-02-31T00:00:00Z',
    '2026-01-05',
    '2026-01-05T10:00:00',
    '2026-01-05T10:00:00-03:00',
    'yesterday',
  ])
    expect(() => clearBefore(text)).toThrow('CODEC_CLEAR_BEFORE');
});

test('the config part carries no secret', () => {
  const headers = files.write('headers.json', '{"X-Client-Secret":"header-canary"}');
  const token = files.write('token', 'token-file-canary\n');
  const { BANK_TOKEN: _, ...rest } = MINIMAL;
  const env = { ...rest, BANK_TOKEN_FILE: token, BANK_HEADERS_FILE: headers, TEMPORAL_API_KEY: 'key-canary' };
  const { config, secrets } = loadSettings(env, ALL);
  expect(JSON.stringify(config)).not.toContain('canary');
  expect(secrets.bank).toEqual({
    token: { kind: 'file', file: token, token: 'token-file-canary' },
    headers: { 'X-Client-Secret': 'header-canary' },
    tls: NO_TLS,
    hmac: null,
  });
});

test('everything can be set', async () => {
  const { BANK_TOKEN: _, ...withoutToken } = MINIMAL;
  const { cert: pem } = await makeAuthority('Bank');
  const ca = files.write('ca.pem', pem);
  const request = files.write('request', 'grant_type=x&client_secret=request-canary\n');
  const secret = files.write('hmac', 'hmac-canary\n');
  const { config, secrets } = loadSettings(
    {
      ...withoutToken,
      LOG_LEVEL: 'debug',
      GIRO_TASK_QUEUE: 'giro-2',
      GIRO_HTTP_ADDRESS: '[::1]:9464',
      GIRO_DEPLOYMENT_NAME: 'giro-prod',
      GIRO_BUILD_ID: '0.1.0+a1b2c3d',
      TEMPORAL_ADDRESS: 'temporal.internal',
      TEMPORAL_TLS: '1',
      TEMPORAL_NAMESPACE: 'pagos',
      BANK_BASE_URL: 'https://bank.example:8443/api/prefix/',
      BANK_TOKEN_URL: 'https://id.bank.example/oauth/token/?grant_type=x',
      BANK_TOKEN_REQUEST_FILE: request,
      BANK_TOKEN_REQUEST_TYPE: 'form',
      BANK_TOKEN_POINTER: '/data/token',
      BANK_TOKEN_EXPIRES_POINTER: '/data/ttl',
      BANK_TOKEN_EXPIRES_UNIT: 'ms',
      BANK_HMAC_SECRET_FILE: secret,
      BANK_HMAC_HEADER: 'X-Sig',
      BANK_HMAC_HASH: 'sha512',
      BANK_HMAC_ENCODING: 'base64',
      BANK_HMAC_PREFIX: 'v1=',
      BANK_HMAC_CONTENT: '{timestamp}\\n[{pathTrimmed}]',
      BANK_HMAC_TIMESTAMP_HEADER: 'X-Time',
      BANK_HMAC_NONCE_HEADER: 'X-Time',
      BANK_CA_FILE: ca,
      BANK_AUTH_STYLE_TRANSFERS: 'bearer',
      BANK_TIMEOUT_CREATE: '45s',
      BANK_TIMEOUT: '7s',
      BANK_MAX_RPS: '0',
      BANK_REFUSED_STATUS: 'none',
      BANK_REFUSED_CODE_POINTER: '/error/code',
      BANK_REFUSED_CODES: '17, E-42 ,17',
      BANK_NOT_FOUND_STATUS: '404, 410',
      RESEND_WINDOW: '0s',
      POLL_ACTIVE: '6s',
      POLL_DELAYED: '10m1ms',
      ATTENTION_AFTER_ACTIVE: '1h',
      ATTENTION_AFTER_DELAYED: '2d',
      CHECK_DIGITS: 'warn',
      CONCEPTS: 'FAC, VAR',
      AMOUNT_MAX: '1500000.5',
      FROM_ACCOUNTS: '0009001600000000000017, 9990001-8 00000000000017',
      DESCRIPTION_MAX: '0',
      ORIGIN_ID_MIN: '1000',
      ORIGIN_ID_MAX: '1000',
      DECIDERS: 'ana, beto',
    },
    ALL,
  );
  expect(config.logging.level).toBe('debug');
  expect(config.worker).toEqual({
    httpAddress: { host: '::1', port: 9464 },
    version: { deploymentName: 'giro-prod', buildId: '0.1.0+a1b2c3d' },
  });
  expect(config.temporal).toEqual({
    address: 'temporal.internal:7233',
    namespace: 'pagos',
    taskQueue: 'giro-2',
    transport: 'verified-tls',
  });
  expect(config.bank).toEqual({
    baseUrl: 'https://bank.example:8443/api/prefix',
    onLoopback: false,
    authStyleTransfers: 'bearer',
    authStyleWebhooks: 'bearer',
    createTimeoutMs: 45_000,
    lookupTimeoutMs: 7_000,
    maxRps: 0,
    refused: { statuses: [], code: { pointer: '/error/code', values: ['17', 'E-42'] } },
    notFound: { statuses: [404, 410], code: null },
    verifications: { method: 'GET', authStyle: 'raw' },
    sandbox: false,
  });
  expect(JSON.stringify(config)).not.toContain('canary');
  expect(secrets.bank).toEqual({
    token: {
      kind: 'service',
      url: 'https://id.bank.example/oauth/token/?grant_type=x',
      requestFile: request,
      requestType: 'form',
      tokenPointer: '/data/token',
      expiresPointer: '/data/ttl',
      expiresUnit: 'ms',
    },
    headers: {},
    tls: { files: { ...NO_TLS.files, ca }, material: { caPem: pem, client: null } },
    hmac: {
      file: secret,
      secret: 'hmac-canary',
      scheme: {
        kind: 'template',
        template: {
          header: 'X-Sig',
          hash: 'sha512',
          encoding: 'base64',
          prefix: 'v1=',
          content: [
            { placeholder: 'timestamp' },
            { text: '\n[' },
            { placeholder: 'pathTrimmed' },
            { text: ']' },
          ],
          timestampHeader: 'X-Time',
          nonceHeader: 'X-Time',
        },
      },
    },
  });
  expect(config.transferSettings).toEqual({
    pollActiveMs: 6_000,
    pollDelayedMs: 600_001,
    resendWindowMs: 0,
    attentionAfterActiveMs: 3_600_000,
    attentionAfterDelayedMs: 172_800_000,
    createTimeoutMs: 45_000,
    lookupTimeoutMs: 7_000,
    deciders: ['ana', 'beto'],
    needsDeciders: true,
  });
  expect(config.orderLimits).toEqual({
    checkDigits: 'warn',
    concepts: ['FAC', 'VAR'],
    amountMax: '1500000.50',
    fromAccounts: ['0009001600000000000017', '9990001800000000000017'],
    descriptionMaxLength: 0,
    originIdMin: 1000,
    originIdMax: 1000,
  });
});

test('a command asks only for what it needs', () => {
  const broken = { BANK_BASE_URL: 'nonsense', POLL_ACTIVE: '1s', LOG_LEVEL: 'loud', CHECK_DIGITS: 'no' };
  const { config, secrets } = loadSettings({ ...broken, DATABASE_URL: MINIMAL.DATABASE_URL }, ['journal']);
  expect(Object.keys(config)).toEqual(['journal']);
  expect(Object.keys(secrets)).toEqual(['journal']);
});

test('all errors come at once, each once', () => {
  const env = {
    LOG_LEVEL: 'loud',
    BANK_TIMEOUT: '8s',
    GIRO_SANDBOX: '1',
    BANK_BASE_URL: 'http://bank.example',
  };
  let error: unknown;
  try {
    loadSettings(env, ALL);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(ConfigError);
  const { problems, message } = error as ConfigError;
  expect(problems.map(({ variable }) => variable)).toEqual([
    'LOG_LEVEL',
    'DATABASE_URL',
    'BANK_BASE_URL',
    'BANK_TOKEN',
    'BANK_TIMEOUT',
    'GIRO_SANDBOX',
  ]);
  expect(message.split('\n')[0]).toBe('configuration: 6 errors');
  expect(message).toContain('\n  BANK_TIMEOUT is "8s": longer than 7s; allowed: a duration of at most 7s\n');
});

describe('GIRO_SANDBOX=1', () => {
  const sandbox = { ...MINIMAL, GIRO_SANDBOX: '1' };

  test.each([
    'https://127.0.0.1:8443',
    'http://localhost:8080',
    'http://[::1]:8080/bank',
    'http://127.9.9.9',
  ])('lifts the lower bounds with a bank at %s', (url) => {
    const env = { ...sandbox, BANK_BASE_URL: url, POLL_ACTIVE: '100ms', POLL_DELAYED: '1s' };
    const { config } = loadSettings(env, ['bank', 'transferSettings']);
    expect(config.transferSettings).toMatchObject({ pollActiveMs: 100, pollDelayedMs: 1_000 });
    expect(config.bank).toMatchObject({ sandbox: true, onLoopback: true });
  });

  test.each([
    'https://bank.example',
    'https://127.0.0.1.bank.example',
    'https://localhost.bank.example',
    'https://0.0.0.0',
  ])('is refused with a bank at %s', (url) => {
    expect(() => loadSettings({ ...sandbox, BANK_BASE_URL: url }, ['transferSettings'])).toThrow(
      'GIRO_SANDBOX is "1": the bank of BANK_BASE_URL is not on loopback',
    );
  });

  test('does not lift the bound of BANK_TIMEOUT', () => {
    const env = { ...sandbox, BANK_BASE_URL: 'http://127.0.0.1:1', BANK_TIMEOUT: '8s' };
    expect(() => loadSettings(env, ['bank'])).toThrow('BANK_TIMEOUT is "8s": longer than 7s');
  });
});

test('an empty variable falls back to its default', () => {
  const env = readEnv({ ...MINIMAL, POLL_ACTIVE: '', BANK_CLIENT_CERT_FILE: '' });
  expect(loadSettings(env, ALL).config.transferSettings.pollActiveMs).toBe(5_000);
});
