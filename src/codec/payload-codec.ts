import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { KeyRing } from './key-ring';
import { open, seal } from './seal';

const PayloadMessage = temporal.api.common.v1.Payload;

/** Metadata of an encrypted payload; every value is UTF-8 text in bytes. */
export const ENCRYPTED_ENCODING = 'binary/encrypted';
const KEY_ID_FIELD = 'encryption-key-id';

/**
 * Encrypts every payload that goes to Temporal: the data is the serialised Payload under AES-256-GCM, bound to the
 * namespace. Payloads in clear pass through, so that callers without the codec work. Decoding throws `SealError`.
 */
export function createPayloadCodec(ring: KeyRing, namespace: string): PayloadCodec {
  return {
    encode: (payloads) =>
      Promise.resolve(payloads.map((payload) => encryptPayload(ring, namespace, payload))),
    // `async`, so that a throw becomes a rejection.
    decode: async (payloads) =>
      Promise.resolve(payloads.map((payload) => decryptPayload(ring, namespace, payload))),
  };
}

export function encryptPayload(ring: KeyRing, namespace: string, payload: Payload): Payload {
  const { keyId, data } = seal(
    ring,
    namespace,
    PayloadMessage.encode(PayloadMessage.create(payload)).finish(),
  );
  return {
    metadata: {
      encoding: Buffer.from(ENCRYPTED_ENCODING, 'utf8'),
      [KEY_ID_FIELD]: Buffer.from(keyId, 'utf8'),
    },
    data,
  };
}

/** @throws SealError the payload does not open */
export function decryptPayload(ring: KeyRing, namespace: string, payload: Payload): Payload {
  if (!isEncrypted(payload)) return payload;
  const keyId = text(payload.metadata?.[KEY_ID_FIELD]);
  const plain = open(ring, namespace, { keyId, data: Buffer.from(payload.data ?? []) });
  const { metadata, data } = PayloadMessage.decode(plain);
  return { metadata, data };
}

export const isEncrypted = ({ metadata }: Payload): boolean =>
  text(metadata?.['encoding']) === ENCRYPTED_ENCODING;

const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');
