import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { readClosedFile, readSecretFile, readSettingsFile } from '../../src/config/files';
import { loadSettings } from '../../src/config/settings';
import { defaultProfileFile } from '../../src/config/temporal-profile-file';
import type { Need } from '../../src/config/settings';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

test.each([
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['s3cret\r\n', 's3cret'],
  ['s3cret\n\n', 's3cret\n'],
  [' s3cret ', ' s3cret '],
  ['\ns3cret', '\ns3cret'],
])('%j holds the secret %j', (content, secret) => {
  expect(readSecretFile(files.write('secret', content))).toEqual({ ok: true, value: secret });
});

test('a device that never ends is read no further than the limit', () => {
  expect(readSecretFile('/dev/zero')).toMatchObject({
    ok: false,
    reason: 'the file /dev/zero is larger than 262144 bytes',
  });
});

test('a named pipe is refused, because reading it would wait for a writer', () => {
  const path = join(files.directory, 'pipe');
  execFileSync('mkfifo', ['-m', '600', path]);
  expect(readSecretFile(path)).toEqual({ ok: false, reason: `the file ${path} is a named pipe` });
});

test('an unnamed pipe, as a shell passes `<(program)`, is read', () => {
  const read = `process.stdout.write(require('./dist/src/config/files').readSecretFile('/dev/fd/3').value)`;
  const shell = `exec 3< <(echo s3cret); exec "$0" -e "$1"`;
  const io = { cwd: packageRoot, encoding: 'utf8' } as const;
  expect(execFileSync('bash', ['-c', shell, process.execPath, read], io)).toBe('s3cret');
});

test.each([
  [0o600, true],
  [0o400, true],
  [0o640, true],
  [0o440, true],
  [0o644, false],
  [0o604, false],
  [0o602, false],
  [0o601, false],
  [0o777, false],
])('a file with a secret of mode %o: taken %s', (mode, isTaken) => {
  for (const read of [readSecretFile, readClosedFile]) {
    const path = files.write('guarded', 's3cret', mode);
    const reason = `the file ${path} is open to others (mode 0${mode.toString(8)}): chmod 0600, or 0640 for a group that reads it`;
    expect(read(path)).toEqual(isTaken ? { ok: true, value: 's3cret' } : { ok: false, reason });
  }
});

test('a file without secrets may be open, and the mode of a link does not count', () => {
  const open = files.write('open', 'text', 0o644);
  expect(readSettingsFile(open)).toEqual({ ok: true, value: 'text' });
  const link = join(files.directory, 'link');
  symlinkSync(files.write('closed', 's3cret'), link);
  expect(readSecretFile(link)).toEqual({ ok: true, value: 's3cret' });
});

/** Every variable whose file has a secret, with what else it needs. */
const WITH_SECRETS: readonly [string, readonly Need[], Readonly<Record<string, string>>][] = [
  ['CODEC_KEYS_FILE', ['journal'], {}],
  ['CODEC_SERVER_TOKEN_FILE', ['codecServer'], {}],
  ['CODEC_SERVER_ENCODE_TOKEN_FILE', ['codecServer'], {}],
  ['BANK_TOKEN_FILE', ['bank'], {}],
  ['BANK_TOKEN_REQUEST_FILE', ['bank'], { BANK_TOKEN_URL: 'https://bank.example/token' }],
  ['BANK_HEADERS_FILE', ['bank'], {}],
  ['BANK_HMAC_SECRET_FILE', ['bank'], {}],
  ['BANK_CLIENT_KEY_FILE', ['bank'], {}],
  ['BANK_CLIENT_KEY_PASSPHRASE_FILE', ['bank'], {}],
  ['RECEIVER_PATH_SECRET_FILE', ['receiver'], {}],
  ['RECEIVER_TLS_KEY_FILE', ['receiver'], { RECEIVER_TLS_CERT_FILE: files.write('cert.pem', 'x') }],
  ['WEBHOOK_SECRET_FILE', ['receiver'], { WEBHOOK_VERIFY: 'hmac' }],
  ['TEMPORAL_CONFIG_FILE', ['temporal'], {}],
  ['TEMPORAL_TLS_CLIENT_KEY_PATH', ['temporal'], { TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' }],
];

test.each(WITH_SECRETS)(
  '%s that others may read is refused by name, mode and remedy',
  (name, needs, more) => {
    const path = files.write('of-everybody', 'canary', 0o644);
    const load = () => loadSettings({ ...more, [name]: path }, needs);
    expect(load).toThrow(new RegExp(`${name} .*open to others \\(mode 0644\\): chmod 0600`));
    expect(load).not.toThrow(/canary/);
  },
);

test('the profile file at the place of the ecosystem is one with secrets too', () => {
  mkdirSync(join(files.directory, 'temporalio'));
  const path = files.write('temporalio/temporal.toml', '[profile.default]\napi_key = "canary"\n', 0o644);
  const env = { XDG_CONFIG_HOME: files.directory, TEMPORAL_TLS: '1', TEMPORAL_ADDRESS: 'temporal.example' };
  const load = () => loadSettings(env, ['temporal']);
  expect(load).toThrow(/TEMPORAL_CONFIG_FILE .*temporal\.toml is open to others \(mode 0644\): chmod 0600/);
  expect(load).not.toThrow(/canary/);
  chmodSync(path, 0o640);
  expect(load().secrets.temporal.connection).toMatchObject({ apiKey: 'canary' });
});

test.each([
  ['linux', { XDG_CONFIG_HOME: 'relative', HOME: 'ROOT' }, null],
  ['linux', { HOME: 'ROOT/person' }, 'person/.config'],
  ['darwin', { XDG_CONFIG_HOME: 'ROOT', HOME: 'ROOT/mac' }, 'mac/Library/Application Support'],
  ['win32', { APPDATA: 'ROOT/roaming' }, 'roaming'],
  ['win32', { HOME: 'ROOT' }, null],
] as const)('on %s with %j profiles lie in %p', (platform, given, place) => {
  const env = Object.fromEntries(
    Object.entries(given).map(([name, path]) => [name, path.replace('ROOT', files.directory)]),
  );
  if (place === null) {
    expect(defaultProfileFile(env, platform)).toBeNull();
    return;
  }
  mkdirSync(join(files.directory, place, 'temporalio'), { recursive: true });
  const path = files.write(join(place, 'temporalio/temporal.toml'), 'x');
  expect(defaultProfileFile(env, platform)).toBe(path);
});

test.each([
  [0o644, false],
  [0o640, true],
])('the key of a client certificate in DATABASE_URL, of mode %o: taken %s', (mode, isTaken) => {
  const path = files.write('client.key', 'canary', mode);
  const url = `postgres://u:p@db.example/d?sslmode=verify-full&sslkey=${encodeURIComponent(path)}`;
  const load = () => loadSettings({ DATABASE_URL: url }, ['journal']);
  if (isTaken) expect(load).not.toThrow();
  else expect(load).toThrow(/DATABASE_URL .*sslkey.*open to others \(mode 0644\)/);
  if (!isTaken) expect(load).not.toThrow(/canary/);
});
