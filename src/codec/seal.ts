import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring';

/** A sealed value, and the id of the key that opens it. */
export interface Sealed {
  readonly keyId: string;
  /** 12-byte nonce ‖ ciphertext ‖ 16-byte tag. */
  readonly data: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Why something sealed does not open. The messages name key ids, never keys or content. */
export class SealError extends Error {
  override readonly name = 'SealError';
  constructor(
    readonly why: 'unknown-key' | 'altered',
    message: string,
  ) {
    super(message);
  }
}

/**
 * AES-256-GCM under the active key. `context` is authenticated, not stored: a value opens only under the same context,
 * so nobody can move it to another place. Nonces are random: a key is good for 2^32 values (NIST SP 800-38D, 8.3).
 */
export function seal(ring: KeyRing, context: string, plain: Uint8Array): Sealed {
  const key = ring.keys.get(ring.active);
  if (key === undefined) throw new Error('a key ring without its active key');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  ring.onSeal?.(ring.active);
  return { keyId: ring.active, data };
}

/** @throws SealError the ring lacks the key, or data, key or context is not the one that the value was sealed with */
export function open(ring: KeyRing, context: string, { keyId, data }: Sealed): Buffer {
  const key = ring.keys.get(keyId);
  if (key === undefined) {
    throw new SealError(
      'unknown-key',
      `no key ${showKeyId(keyId)} in the key ring: add it to CODEC_KEYS_FILE`,
    );
  }
  if (data.length < NONCE_BYTES + TAG_BYTES) throw altered(keyId);
  const nonce = data.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw altered(keyId);
  }
}

const altered = (keyId: string): SealError =>
  new SealError(
    'altered',
    `does not open with key ${showKeyId(keyId)}: altered, or sealed for another place`,
  );

/** Whoever wrote the value chose the key id, so the key id is shown only if it has the form of one. */
export const showKeyId = (keyId: string): string =>
  /^[A-Za-z0-9._-]{1,64}$/.test(keyId) ? keyId : '(unreadable id)';
