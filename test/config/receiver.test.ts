import { loadSettings } from '../../src/config/settings';
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
