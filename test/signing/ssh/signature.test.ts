import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSshPublicKey } from '../../../src/signing/ssh/public-key';
import { readSshSignature } from '../../../src/signing/ssh/signature';
import { SshFormError, strictBase64 } from '../../../src/signing/ssh/wire';
import { useTemporaryFolder } from '../../dev/temporary-folder';
import { armour, makeKey, makeKeys } from '../../../dev/made-ssh-keys';

const MESSAGE = '{"action":"resume"}\n';
const keys = makeKeys();
const verifies = (signature: string, message = MESSAGE): boolean =>
  readSshSignature(signature).verifies(Buffer.from(message));

const blobOf = (text: string): Buffer => Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');

describe.each(keys.map((key) => [key.type, key] as const))('a signature of %s', (_, key) => {
  it.each(['sha256', 'sha512'])('over %s is right', (hash) => {
    const read = readSshSignature(key.sign(MESSAGE, { hash }));
    expect(read).toMatchObject({ namespace: 'giro-decision', key: { fingerprint: key.fingerprint } });
    expect(read.verifies(Buffer.from(MESSAGE))).toBe(true);
  });

  it('is wrong over another message, and when any bit of its raw bytes is another', () => {
    expect(verifies(key.sign(MESSAGE), `${MESSAGE} `)).toBe(false);
    const flipped = (raw: Buffer): Buffer => {
      const other = Buffer.from(raw);
      other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
      return other;
    };
    expect(verifies(key.sign(MESSAGE, { spoil: flipped }))).toBe(false);
    expect(verifies(key.sign(MESSAGE, { spoil: (raw) => raw.subarray(1) }))).toBe(false);
    expect(verifies(key.sign(MESSAGE, { spoil: () => Buffer.alloc(0) }))).toBe(false);
  });

  it('is wrong under the key of somebody else, and for another purpose', () => {
    const [other] = [makeKey(key.type)];
    const swap = (text: string, from: string, to: string): string => {
      const blob = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64').toString('latin1');
      return armour(
        Buffer.from(
          blob.replace(from, () => to),
          'latin1',
        ),
      );
    };
    const bytesOf = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');
    const signature = key.sign(MESSAGE);
    expect(verifies(swap(signature, bytesOf(key.base64), bytesOf(other.base64)))).toBe(false);
    expect(verifies(swap(signature, 'giro-decision', 'giro-decisioN'))).toBe(false);
  });

  it.each([
    ['text', 'signed'],
    ['another armour', key.sign(MESSAGE).replaceAll('SSH', 'PGP')],
    ['base64 with a stray character', key.sign(MESSAGE).replace(/\n(.)/, '\n*')],
    ['more bytes than it says', armour(Buffer.concat([blobOf(key.sign(MESSAGE)), Buffer.alloc(1)]))],
    ['fewer bytes than it says', armour(blobOf(key.sign(MESSAGE)).subarray(0, -1))],
    ['another version', key.sign(MESSAGE, { version: 2 })],
    ['another hash', key.sign(MESSAGE, { hash: 'sha1' })],
    ['more than 4 KB', key.sign(MESSAGE) + ' '.repeat(4_096)],
  ])('is refused as %s', (_form, text) => {
    expect(() => readSshSignature(text)).toThrow(SshFormError);
  });

  it('may have lost its line feeds in a form', () => {
    expect(verifies(key.sign(MESSAGE).replaceAll('\n', ' '))).toBe(true);
    expect(verifies(key.sign(MESSAGE).replaceAll('\n', ''))).toBe(true);
  });
});

it.each(keys.filter(({ type }) => type.startsWith('sk-')).map((key) => [key.type, key] as const))(
  'a signature of %s that nobody touched the token for is wrong',
  (_, key) => {
    expect(verifies(key.sign(MESSAGE, { flags: 0x01 | 0x04 }))).toBe(true);
    expect(verifies(key.sign(MESSAGE, { flags: 0x04 }))).toBe(false);
    expect(verifies(key.sign(MESSAGE, { flags: 0 }))).toBe(false);
  },
);

/** In CI it has to be there (`.ci/run` installs it): a skipped test would go unseen. */
const isTried = spawnSync('ssh-keygen', ['-?']).error === undefined || process.env['CI'] === 'true';

(isTried ? describe : describe.skip)('beside ssh-keygen (needs openssh-client)', () => {
  const folder = useTemporaryFolder();
  const keygen = (args: readonly string[], input = '') =>
    spawnSync('ssh-keygen', args, { cwd: folder(), input, encoding: 'utf8' });

  it.each([
    ['ed25519', []],
    ['ecdsa', ['-b', '256']],
  ])('what it signs with %s is right here', (type, more) => {
    expect(keygen(['-q', '-t', type, ...more, '-N', '', '-f', 'key']).status).toBe(0);
    const { stdout } = keygen(['-Y', 'sign', '-f', 'key', '-n', 'giro-decision'], MESSAGE);
    expect(verifies(stdout)).toBe(true);
    expect(verifies(stdout, 'else')).toBe(false);
    const [, base64 = ''] = readFileSync(join(folder(), 'key.pub'), 'utf8').split(' ');
    const { fingerprint } = readSshPublicKey(strictBase64(base64) ?? Buffer.alloc(0));
    expect(keygen(['-l', '-f', 'key.pub']).stdout).toContain(` ${fingerprint} `);
  });

  it('a kind of key that does not count is refused', () => {
    expect(keygen(['-q', '-t', 'rsa', '-N', '', '-f', 'key']).status).toBe(0);
    const { stdout } = keygen(['-Y', 'sign', '-f', 'key', '-n', 'giro-decision'], MESSAGE);
    expect(() => readSshSignature(stdout)).toThrow(/none of ssh-ed25519, ecdsa-sha2-nistp256/);
  });

  it.each(keys.map((key) => [key.type, key] as const))(
    'what is signed here with %s is right there',
    (_, key) => {
      writeFileSync(join(folder(), 'signers'), `ana namespaces="giro-decision" ${key.type} ${key.base64}\n`);
      const check = (signature: string) => {
        writeFileSync(join(folder(), 'sig'), signature);
        const asked = ['-Y', 'verify', '-f', 'signers', '-I', 'ana', '-n', 'giro-decision', '-s', 'sig'];
        return keygen(asked, MESSAGE).status === 0;
      };
      expect(check(key.sign(MESSAGE))).toBe(true);
    },
  );
});
