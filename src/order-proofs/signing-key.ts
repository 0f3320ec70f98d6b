import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { TransferOrder } from '../domain/order';
import { PROOF_KEY_ID, PROOF_KEY_ID_RULE } from '../domain/order-proof';
import { signOrder } from './order-proof';

/** Makes the proof of an order with a local key (`readSigningKey`), or through a service that holds the key. */
export type SignOrder = (order: TransferOrder) => Promise<string>;

export type ParsedSigningKey =
  | { readonly ok: true; readonly value: SignOrder }
  /** Completes a sentence that starts with the key's name; never contains the key. */
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a private Ed25519 key, as a JWK or as PKCS#8 PEM without a passphrase.
 *
 * @param kid the id under which `ORDER_SIGNERS_FILE` has its public part; default: that of the JWK
 */
export function readSigningKey(text: string, kid?: string): ParsedSigningKey {
  const isPem = text.trimStart().startsWith('-----BEGIN ');
  const read = isPem ? { key: privateKey(text), kid: undefined } : fromJwk(text);
  const { key } = read;
  if (key?.asymmetricKeyType !== 'ed25519') {
    return refuse('is not a private Ed25519 key, as a JWK or as PKCS#8 PEM without a passphrase');
  }
  const id = kid ?? read.kid;
  if (id === undefined) return refuse('does not say its kid, so give it with --sign-kid');
  if (typeof id !== 'string' || !PROOF_KEY_ID.test(id)) return refuse(`has a kid that ${PROOF_KEY_ID_RULE}`);
  return { ok: true, value: (order) => signOrder(order, { kid: id, key }) };
}

function fromJwk(text: string): { readonly key: KeyObject | null; readonly kid: unknown } {
  try {
    const jwk = JSON.parse(text) as { readonly kid?: unknown };
    return { key: privateKey({ key: jwk, format: 'jwk' }), kid: jwk.kid };
  } catch {
    return { key: null, kid: undefined };
  }
}

/** Null: not a key. The parser's error could repeat a piece of it. */
function privateKey(input: Parameters<typeof createPrivateKey>[0]): KeyObject | null {
  try {
    return createPrivateKey(input);
  } catch {
    return null;
  }
}

const refuse = (reason: string): ParsedSigningKey => ({ ok: false, reason });
