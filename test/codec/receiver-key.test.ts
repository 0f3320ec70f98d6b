import { newReceiverKey, openSealed, parseSealKey, sealKeyText, sealTo } from '../../src/codec/receiver-key';

const CONTEXT = 'giro/journal/notification/id:1';
const PLAIN = Buffer.from('{"canary":1}');

test('what is sealed to the public file opens with the private key alone, and for its own place', async () => {
  const [pair, other] = [await newReceiverKey('r1'), await newReceiverKey('r1')];
  const parsed = parseSealKey(sealKeyText(pair));
  if (!parsed.ok) throw new Error(parsed.reason);
  const sealed = await sealTo(parsed.value, CONTEXT, PLAIN);
  expect(sealed.keyId).toBe('r1');
  expect(sealed.data.includes('canary')).toBe(false);
  // The bytes do not reveal that two notifications are equal.
  expect((await sealTo(parsed.value, CONTEXT, PLAIN)).data.equals(sealed.data)).toBe(false);
  const receiverKeys = new Map([['r1', pair.privateKey]]);
  expect(await openSealed({ receiverKeys }, CONTEXT, sealed)).toEqual(PLAIN);
  await expect(openSealed({ receiverKeys }, `${CONTEXT}2`, sealed)).rejects.toMatchObject({ why: 'altered' });
  const flipped = Buffer.from(sealed.data);
  flipped.writeUInt8(flipped.readUInt8(70) ^ 1, 70);
  for (const data of [flipped, sealed.data.subarray(0, 80), Buffer.alloc(0), Buffer.alloc(100)])
    await expect(openSealed({ receiverKeys }, CONTEXT, { keyId: 'r1', data })).rejects.toMatchObject({
      why: 'altered',
    });
  await expect(
    openSealed({ receiverKeys: new Map([['r1', other.privateKey]]) }, CONTEXT, sealed),
  ).rejects.toMatchObject({ why: 'altered' });
  await expect(openSealed({}, CONTEXT, sealed)).rejects.toMatchObject({ why: 'unknown-key' });
});

test.each([
  ['', 'is not JSON'],
  ['null', 'has no key id'],
  ['{"id":"r1"}', 'has no "publicKey"'],
  ['{"id":"r1","publicKey":"AAAA"}', 'has no "publicKey"'],
  ['{"id":"r1","publicKey":"","x":1}', 'has members other'],
  [`{"id":"r1","publicKey":"${Buffer.alloc(65, 7).fill(4, 0, 1).toString('base64')}"}`, 'not on the curve'],
])('a file %s is refused', (text, reason) => {
  expect(parseSealKey(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) as string });
});
