import { createHash, createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SshFormError, SshReader } from './wire';

/**
 * The kinds of keys whose signatures count. RSA, DSA and the larger curves are left out, to keep the verifying code
 * small. `sk-`: the key is in a hardware token.
 */
export const SSH_KEY_TYPES = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
] as const;
export type SshKeyType = (typeof SSH_KEY_TYPES)[number];

export const isSshKeyType = (type: string): type is SshKeyType =>
  (SSH_KEY_TYPES as readonly string[]).includes(type);

export interface SshPublicKey {
  readonly type: SshKeyType;
  /** As `ssh-keygen -l` prints it: `SHA256:` and base64 without padding. */
  readonly fingerprint: string;
  /**
   * Whether `signature` (the blob of RFC 4253 section 6.6, preceded by its format) is this key's signature over `data`.
   */
  readonly verifies: (data: Buffer, signature: Buffer) => boolean;
}

const P256_BYTES = 32;
const ED25519_BYTES = 32;
/** Flag of a hardware key's signature: somebody touched the token. */
const USER_PRESENT = 0x01;

/**
 * Reads a public key in the form that `authorized_keys` has in base64 and that a signature contains (RFC 4253 section
 * 6.6, RFC 5656, RFC 8709, OpenSSH's PROTOCOL.u2f).
 *
 * @throws SshFormError the bytes are not a key of these kinds
 */
export function readSshPublicKey(blob: Buffer): SshPublicKey {
  const reader = new SshReader(blob);
  const type = reader.text();
  if (!isSshKeyType(type)) throw new SshFormError(`has a key that is none of ${SSH_KEY_TYPES.join(', ')}`);
  const fingerprint = `SHA256:${sha256(blob).toString('base64').replace(/=+$/, '')}`;
  const isEcdsa = type === 'ecdsa-sha2-nistp256' || type === 'sk-ecdsa-sha2-nistp256@openssh.com';
  const key = isEcdsa ? ecdsaKey(reader) : ed25519Key(reader);
  const application = type.startsWith('sk-') ? reader.string() : null;
  reader.end();
  return {
    ...{ type, fingerprint },
    verifies: (data, signature) => {
      const signed = new SshReader(signature);
      if (signed.text() !== type) return false;
      const raw = signed.string();
      const signedBytes = application === null ? data : signedByToken(application, data, signed);
      signed.end();
      if (signedBytes === null) return false;
      if (!isEcdsa) return verify(null, signedBytes, key, raw);
      return verify('sha256', signedBytes, { key, dsaEncoding: 'ieee-p1363' }, ecdsaSignature(raw));
    },
  };
}

/** The bytes that a hardware token signs; null: nobody touched the token. */
function signedByToken(application: Buffer, data: Buffer, signed: SshReader): Buffer | null {
  const flags = signed.byte();
  const counter = signed.fixed(4);
  if ((flags & USER_PRESENT) === 0) return null;
  return Buffer.concat([sha256(application), Buffer.from([flags]), counter, sha256(data)]);
}

function ed25519Key(reader: SshReader): KeyObject {
  const point = reader.string();
  if (point.length !== ED25519_BYTES) throw new SshFormError('has an Ed25519 key of another length');
  return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') });
}

function ecdsaKey(reader: SshReader): KeyObject {
  const curve = reader.text();
  const point = reader.string();
  if (curve !== 'nistp256' || point.length !== 1 + 2 * P256_BYTES || point[0] !== 0x04)
    throw new SshFormError('has an ECDSA key that is not a full point of nistp256');
  const [x, y] = [point.subarray(1, 1 + P256_BYTES), point.subarray(1 + P256_BYTES)];
  return fromJwk({ kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') });
}

function fromJwk(jwk: { kty: string; crv: string; x: string; y?: string }): KeyObject {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    throw new SshFormError('has a key that is not a point of its curve');
  }
}

function ecdsaSignature(raw: Buffer): Buffer {
  const reader = new SshReader(raw);
  const both = Buffer.concat([reader.positive(P256_BYTES), reader.positive(P256_BYTES)]);
  reader.end();
  return both;
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
