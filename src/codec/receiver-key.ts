import { ECDH } from 'node:crypto';
import type { webcrypto } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { KEY_ID } from './key-ring';
import type { KeyRing } from './key-ring';
import { SealError, showKeyId } from './seal';
import type { Sealed } from './seal';

/**
 * Sealing with a public key, for a reader in another process: HPKE (RFC 9180), base mode, DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, AES-256-GCM. Data: 65-byte encapsulated key ‖ ciphertext ‖ 16-byte tag. `context` is authenticated,
 * not stored.
 */
const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const ENCAPSULATED_BYTES = 65;
const TAG_BYTES = 16;

/** The file of `RECEIVER_SEAL_KEY_FILE`: `{"id":"r1","publicKey":"<base64 of 65 bytes>"}`. This file opens nothing. */
export interface SealKey {
  readonly id: string;
  /** Uncompressed point. */
  readonly publicKey: Buffer;
}

/** A fresh pair: `privateKey` (32 bytes) for the workers' key ring, the rest for receivers. */
export async function newReceiverKey(id: string): Promise<SealKey & { readonly privateKey: Buffer }> {
  const pair = (await suite.kem.generateKeyPair()) as webcrypto.CryptoKeyPair;
  return {
    id,
    privateKey: Buffer.from(await suite.kem.serializePrivateKey(pair.privateKey)),
    publicKey: Buffer.from(await suite.kem.serializePublicKey(pair.publicKey)),
  };
}

export const sealKeyText = ({ id, publicKey }: SealKey): string =>
  `${JSON.stringify({ id, publicKey: publicKey.toString('base64') }, null, 2)}\n`;

/** `reason` completes a sentence that starts with the file's name. */
export function parseSealKey(
  text: string,
): { readonly ok: true; readonly value: SealKey } | { readonly ok: false; readonly reason: string } {
  const refuse = (reason: string) => ({ ok: false, reason }) as const;
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return refuse('is not JSON');
  }
  const { id, publicKey: encoded, ...more } = Object(content) as Record<string, unknown>;
  if (Object.keys(more).length > 0) return refuse('has members other than "id" and "publicKey"');
  if (typeof id !== 'string' || !KEY_ID.test(id)) return refuse('has no key id');
  const publicKey = Buffer.from(typeof encoded === 'string' ? encoded : '', 'base64');
  if (
    publicKey.toString('base64') !== encoded ||
    publicKey.length !== ENCAPSULATED_BYTES ||
    publicKey[0] !== 4
  )
    return refuse('has no "publicKey" that is the base64 of an uncompressed point of P-256');
  try {
    ECDH.convertKey(publicKey, 'prime256v1');
  } catch {
    return refuse('has a "publicKey" that is not on the curve P-256');
  }
  return { ok: true, value: { id, publicKey } };
}

/** Rejects when the key is not a point on the curve. */
export async function sealTo(
  { id, publicKey }: SealKey,
  context: string,
  plain: Uint8Array,
): Promise<Sealed> {
  const recipientPublicKey = (await suite.kem.deserializePublicKey(bytes(publicKey))) as webcrypto.CryptoKey;
  const sealed = await suite.seal({ recipientPublicKey }, bytes(plain), bytes(Buffer.from(context, 'utf8')));
  return { keyId: id, data: Buffer.concat([Buffer.from(sealed.enc), Buffer.from(sealed.ct)]) };
}

/** @throws SealError the ring lacks the key, or data, key or context is not the one that the value was sealed with */
export async function openSealed(
  { receiverKeys }: Pick<KeyRing, 'receiverKeys'>,
  context: string,
  { keyId, data }: Sealed,
): Promise<Buffer> {
  const key = receiverKeys?.get(keyId);
  if (key === undefined) {
    throw new SealError(
      'unknown-key',
      `no receiver key ${showKeyId(keyId)} in the key ring: add it to CODEC_KEYS_FILE`,
    );
  }
  try {
    if (data.length < ENCAPSULATED_BYTES + TAG_BYTES) throw new Error('too short');
    const recipientKey = (await suite.kem.deserializePrivateKey(bytes(key))) as webcrypto.CryptoKey;
    const plain = await suite.open(
      { recipientKey, enc: bytes(data.subarray(0, ENCAPSULATED_BYTES)) },
      bytes(data.subarray(ENCAPSULATED_BYTES)),
      bytes(Buffer.from(context, 'utf8')),
    );
    return Buffer.from(plain);
  } catch {
    throw new SealError('altered', `does not open with receiver key ${showKeyId(keyId)}`);
  }
}

/** A copy, because a `Buffer` may be a window on a larger one. */
const bytes = (data: Uint8Array): ArrayBuffer => new Uint8Array(data).buffer;
