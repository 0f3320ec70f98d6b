import { createDecipheriv } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { createPayloadCodec } from '../../src/codec/payload-codec';
import { freshKeyRing, ringOf } from './key-rings';
import vectors from './vectors.json';

const ring = freshKeyRing('k1');
const codec = createPayloadCodec(ring, 'payments');
const payload = defaultPayloadConverter.toPayload({ originId: 4711, name: 'Ana' });

test('as the contract has it: metadata, nonce, ciphertext, tag, bound to the namespace', async () => {
  const [encoded] = await codec.encode([payload]);
  expect(Object.entries(encoded?.metadata ?? {}).map(([k, v]) => [k, Buffer.from(v).toString()])).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', 'k1'],
  ]);
  const data = Buffer.from(encoded?.data ?? []);
  expect(data.toString('latin1')).not.toContain('Ana');
  // By hand, as a reader in another language would.
  const decipher = createDecipheriv('aes-256-gcm', ring.keys.get('k1') as Buffer, data.subarray(0, 12));
  decipher.setAAD(Buffer.from('payments'));
  decipher.setAuthTag(data.subarray(-16));
  const plain = Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]);
  const inner = temporal.api.common.v1.Payload.decode(plain);
  expect(defaultPayloadConverter.fromPayload(inner)).toEqual({ originId: 4711, name: 'Ana' });
  expect(Buffer.from(inner.metadata['encoding'] ?? []).toString()).toBe('json/plain');
});

test('decodes what it encoded, and leaves alone what nobody encrypted', async () => {
  const decoded = await codec.decode([...(await codec.encode([payload])), payload]);
  expect(decoded.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([
    { originId: 4711, name: 'Ana' },
    { originId: 4711, name: 'Ana' },
  ]);
});

test('another namespace cannot read it', async () => {
  const encoded = await codec.encode([payload]);
  await expect(createPayloadCodec(ring, 'other').decode(encoded)).rejects.toThrow(
    'does not open with key k1: altered, or sealed for another place',
  );
});

test('undefined, null and bytes survive', async () => {
  for (const value of [undefined, null, new Uint8Array([1, 2])]) {
    const [decoded] = await codec.decode(await codec.encode([defaultPayloadConverter.toPayload(value)]));
    expect(defaultPayloadConverter.fromPayload(decoded ?? {})).toEqual(value);
  }
});

test.each(vectors.payloads)('published test vector: $name', async ({ namespace, keyId, data, value }) => {
  const readers = createPayloadCodec(ringOf(vectors.ring.active, vectors.ring.keys), namespace);
  const encrypted = {
    metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from(keyId) },
    data: Buffer.from(data, 'base64'),
  };
  const [decoded] = await readers.decode([encrypted]);
  expect(defaultPayloadConverter.fromPayload(decoded ?? {})).toEqual(value);
});
