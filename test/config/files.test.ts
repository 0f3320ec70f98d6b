import { readSecretFile } from '../../src/config/files';
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
