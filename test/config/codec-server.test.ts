import { loadSettings } from '../../src/config/settings';
import { keyRingText, newKeyRing } from '../../src/codec/key-ring';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const load = (more: Record<string, string>) =>
  loadSettings(
    {
      CODEC_KEYS_FILE: files.write('keys.json', keyRingText(newKeyRing())),
      CODEC_SERVER_TOKEN_FILE: files.write('token', 'a-token-of-the-test\n'),
      CODEC_SERVER_NAMESPACES: 'default',
      ...more,
    },
    ['codecServer'],
  ).config.codecServer;

test('600 requests a minute, no proxy and no name of a person unless configured', () => {
  expect(load({})).toMatchObject({
    ...{
      address: { host: '127.0.0.1', port: 8088 },
      origins: [],
      namespace: 'default',
      namespaces: ['default'],
    },
    ...{ requestsPerMinute: 600, trustedHops: 0, operatorHeader: null },
  });
});

test('what a gateway needs', () => {
  const config = load({
    CODEC_SERVER_MAX_RPM: '30000',
    CODEC_SERVER_TRUSTED_HOPS: '2',
    CODEC_SERVER_OPERATOR_HEADER: 'X-Forwarded-User',
    CODEC_SERVER_ORIGINS: 'https://temporal.example',
  });
  expect(config).toMatchObject({
    ...{ requestsPerMinute: 30_000, trustedHops: 2, operatorHeader: 'X-Forwarded-User' },
    origins: ['https://temporal.example'],
  });
});

test('namespaces are required, and the token for /encode is another one', () => {
  expect(() =>
    loadSettings({ CODEC_SERVER_TOKEN_FILE: files.write('token', 'a-token-of-the-test\n') }, ['codecServer']),
  ).toThrow(/CODEC_SERVER_NAMESPACES is not set: required/);
  const same = files.write('same', 'a-token-of-the-test');
  expect(() => load({ CODEC_SERVER_ENCODE_TOKEN_FILE: same })).toThrow(
    /CODEC_SERVER_ENCODE_TOKEN_FILE.*the token is that of CODEC_SERVER_TOKEN_FILE/,
  );
  const encoding = files.write('encode-token', 'a-token-for-encode');
  expect(load({ CODEC_SERVER_ENCODE_TOKEN_FILE: encoding, CODEC_SERVER_NAMESPACES: 'a, b' })).toMatchObject({
    namespaces: ['a', 'b'],
  });
});

test.each([
  ['CODEC_SERVER_MAX_RPM', '0', 'not between 1 and 1000000'],
  ['CODEC_SERVER_MAX_RPM', '1e3', 'not a whole number'],
  ['CODEC_SERVER_TRUSTED_HOPS', '11', 'not between 0 and 10'],
  ['CODEC_SERVER_OPERATOR_HEADER', 'X Forwarded', 'not a header name'],
  ['CODEC_SERVER_OPERATOR_HEADER', 'Authorization', 'a header that is not free to set'],
  ['CODEC_SERVER_ORIGINS', '*', 'entry 1 is not an origin'],
  ['CODEC_SERVER_ORIGINS', 'https://temporal.example/', 'entry 1 is not an origin'],
])('refused: %s=%s', (name, value, reason) => {
  expect(() => load({ [name]: value })).toThrow(new RegExp(`${name}.*${reason}`));
});
