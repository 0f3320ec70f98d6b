import { readTlsFiles } from '../../src/config/receiver';
import { loadSettings } from '../../src/config/settings';
import { RECEIVER_NEEDS } from '../../src/receiver';
import { makeAuthority, makeServerCertificate } from '../bank/certificates';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

test('an HMAC that covers nothing of the body is refused: any body would pass with it', () => {
  const load = (content: string) =>
    loadSettings(
      {
        RECEIVER_PATH_SECRET_FILE: files.write('path', 'a-secret-of-the-path-0123456789-abc'),
        WEBHOOK_VERIFY: 'hmac',
        WEBHOOK_SECRET_FILE: files.write('key', 'a-secret-of-the-bank'),
        WEBHOOK_HMAC_CONTENT: content,
      },
      ['receiver'],
    );
  expect(() => load('{timestamp}{method}{path}')).toThrow(/WEBHOOK_HMAC_CONTENT.*covers no byte of the body/);
  for (const content of ['{timestamp}{body}', '{bodySha256}']) expect(() => load(content)).not.toThrow();
});

test('a chain whose end is not written yet is refused, although the first certificate is whole', async () => {
  const authority = await makeAuthority('receiver');
  const { cert, key } = await makeServerCertificate(authority, 'loopback');
  const keyFile = files.write('chain.key', key);
  expect(readTlsFiles(files.write('whole.pem', `${cert}\n${authority.cert}`), keyFile).ok).toBe(true);
  const half = authority.cert.slice(0, authority.cert.length / 2);
  expect(readTlsFiles(files.write('half.pem', `${cert}\n${half}`), keyFile)).toEqual({
    ok: false,
    reason: expect.stringContaining('are not a PEM certificate') as string,
  });
});

test.each([
  ['a'.repeat(31), false],
  ['a'.repeat(32), true],
  [`${'a'.repeat(31)}/`, false],
  ['0123456789abcdefghij._~-ABCDEFGHIJ', true],
])('a path secret %s: accepted %s', (secret, isAccepted) => {
  const load = () => loadSettings({ RECEIVER_PATH_SECRET_FILE: files.write('path', secret) }, ['receiver']);
  if (isAccepted) expect(load).not.toThrow();
  else expect(load).toThrow(/RECEIVER_PATH_SECRET_FILE/);
});

test('the receiver needs neither Temporal nor a key ring, and reads none of their variables', () => {
  const read: string[] = [];
  const env = new Proxy<Record<string, string>>(
    {
      DATABASE_URL: 'postgres://127.0.0.1/giro',
      RECEIVER_PATH_SECRET_FILE: files.write('path', 'a'.repeat(32)),
    },
    {
      get: (target, name) => {
        read.push(String(name));
        return target[String(name)];
      },
    },
  );
  loadSettings(env, RECEIVER_NEEDS);
  expect(read.filter((name) => /^(TEMPORAL|CODEC|BANK)_/.test(name))).toEqual([]);
});
