import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { SSH_KEY_TYPES } from '../src/signing/ssh/public-key';
import type { SshKeyType } from '../src/signing/ssh/public-key';
import { sshString } from '../src/signing/ssh/wire';

/** An operator's key. For a hardware key, this program plays the token. */
export interface MadeKey {
  readonly type: SshKeyType;
  /** The public key in base64, as in `allowed_signers`. */
  readonly base64: string;
  readonly fingerprint: string;
  /** Armoured, as `ssh-keygen -Y sign` writes it. */
  readonly sign: (message: string, changes?: Partial<Making>) => string;
}

/** How a signature is made; absent options are correct. */
export interface Making {
  readonly namespace: string;
  readonly hash: string;
  readonly version: number;
  /** Flags of a hardware key: bit 1 says that somebody touched it. */
  readonly flags: number;
  /** Changes the raw signature that the key made. */
  readonly spoil: (raw: Buffer) => Buffer;
}

const AS_IT_SHOULD: Making = {
  ...{ namespace: 'giro-decision', hash: 'sha512', version: 1, flags: 0x01 },
  spoil: (raw) => raw,
};
const APPLICATION = 'ssh:';

export const makeKeys = (): readonly MadeKey[] => SSH_KEY_TYPES.map(makeKey);

export function makeKey(type: SshKeyType = 'ssh-ed25519'): MadeKey {
  const isEcdsa = type.includes('ecdsa');
  const isToken = type.startsWith('sk-');
  const { privateKey } = isEcdsa
    ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    : generateKeyPairSync('ed25519');
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const point = [x, y].map((part) => Buffer.from(part, 'base64url'));
  const blob = Buffer.concat([
    sshString(type),
    ...(isEcdsa
      ? [sshString('nistp256'), sshString(Buffer.concat([Buffer.from([0x04]), ...point]))]
      : [sshString(Buffer.concat(point))]),
    ...(isToken ? [sshString(APPLICATION)] : []),
  ]);
  const signed = (data: Buffer): Buffer => {
    if (!isEcdsa) return sign(null, data, privateKey);
    const raw = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return Buffer.concat([raw.subarray(0, 32), raw.subarray(32)].map((part) => sshString(mpint(part))));
  };
  return {
    type,
    base64: blob.toString('base64'),
    fingerprint: `SHA256:${sha('sha256', blob).toString('base64').replace(/=+$/, '')}`,
    sign: (message, changes) => {
      const { namespace, hash, version, flags, spoil } = { ...AS_IT_SHOULD, ...changes };
      const magic = Buffer.from('SSHSIG');
      const purpose = [namespace, '', hash].map((text) => sshString(text));
      const digest = sha(hash === 'sha256' ? 'sha256' : 'sha512', Buffer.from(message));
      const data = Buffer.concat([magic, ...purpose, sshString(digest)]);
      const counted = Buffer.from([flags, 0, 0, 0, 7]);
      const told = Buffer.concat([sha('sha256', Buffer.from(APPLICATION)), counted, sha('sha256', data)]);
      const raw = sshString(spoil(signed(isToken ? told : data)));
      const signature = Buffer.concat([sshString(type), raw, ...(isToken ? [counted] : [])]);
      const all = [magic, uint32(version), sshString(blob), ...purpose, sshString(signature)];
      return armour(Buffer.concat(all));
    },
  };
}

export function armour(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

function mpint(digits: Buffer): Buffer {
  const from = digits.findIndex((digit) => digit !== 0);
  const shortest = digits.subarray(from);
  return (shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), shortest]) : shortest;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const sha = (hash: string, bytes: Buffer): Buffer => createHash(hash).update(bytes).digest();
