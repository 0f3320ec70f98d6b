import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '../../src/config/settings';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const load = (env: Record<string, string>) => loadSettings(env, ['temporal']);

test('the environment gives address, namespace, API key and headers; an API key turns TLS on', () => {
  const { config, secrets } = load({
    TEMPORAL_ADDRESS: 'temporal.example:7777',
    TEMPORAL_NAMESPACE: 'pagos',
    TEMPORAL_API_KEY: 'key',
    TEMPORAL_GRPC_META_TEAM: 'payments',
  });
  expect(config.temporal).toEqual({
    address: 'temporal.example:7777',
    namespace: 'pagos',
    taskQueue: 'giro',
    transport: 'verified-tls',
  });
  expect(secrets.temporal.connection).toEqual({
    address: 'temporal.example:7777',
    apiKey: 'key',
    tls: true,
    metadata: { team: 'payments' },
  });
});

test('certificates are read from their files', () => {
  const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => files.write(`${name}.pem`, `pem of ${name}`));
  const { secrets } = load({
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca!,
    TEMPORAL_TLS_CLIENT_CERT_PATH: cert!,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key!,
    TEMPORAL_TLS_SERVER_NAME: 'engine',
  });
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
  expect(secrets.temporal.connection.tls).toEqual({
    serverNameOverride: 'engine',
    serverRootCACertificate: bytes('pem of ca'),
    clientCertPair: { crt: bytes('pem of cert'), key: bytes('pem of key') },
  });
});

test('TEMPORAL_TLS=0 turns TLS off; with an API key only to loopback', () => {
  const { secrets } = load({
    TEMPORAL_TLS: '0',
    TEMPORAL_API_KEY: 'key',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
  });
  expect(secrets.temporal.connection).toEqual({ address: '127.0.0.1:7233', apiKey: 'key', tls: false });
});

test('the environment overrides the profile file', () => {
  const home = join(files.directory, 'home');
  mkdirSync(join(home, 'temporalio'), { recursive: true });
  files.write(
    'home/temporalio/temporal.toml',
    '[profile.default]\naddress = "profile.example:1"\nnamespace = "from-profile"\n[profile.other]\naddress = "other.example:2"\n',
  );
  const env = { XDG_CONFIG_HOME: home, TEMPORAL_TLS: '1' };
  expect(load(env).config.temporal).toMatchObject({
    address: 'profile.example:1',
    namespace: 'from-profile',
  });
  expect(load({ ...env, TEMPORAL_ADDRESS: 'env.example:3' }).config.temporal).toMatchObject({
    address: 'env.example:3',
    namespace: 'from-profile',
  });
  expect(load({ ...env, TEMPORAL_PROFILE: 'other' }).config.temporal).toMatchObject({
    address: 'other.example:2',
    namespace: 'default',
  });
});

test("the process's own environment is not read", () => {
  process.env['TEMPORAL_NAMESPACE'] = 'process';
  try {
    expect(load({}).config.temporal.namespace).toBe('default');
  } finally {
    delete process.env['TEMPORAL_NAMESPACE'];
  }
});
