import { parseKeyRing } from '../../src/codec/key-ring';

const KEY = Buffer.alloc(32, 7).toString('base64');

test('a ring has its active key and the older ones', () => {
  const old = Buffer.alloc(32, 9).toString('base64');
  const parsed = parseKeyRing(JSON.stringify({ active: 'k2', keys: { k1: old, k2: KEY } }));
  expect(parsed).toMatchObject({ ok: true, value: { active: 'k2' } });
  if (!parsed.ok) throw new Error(parsed.reason);
  expect([...parsed.value.keys].map(([id, key]) => [id, key.toString('base64')])).toEqual([
    ['k1', old],
    ['k2', KEY],
  ]);
});

test.each([
  ['{', 'is not JSON'],
  ['[]', 'is not a JSON object'],
  [
    `{"active":"k1","keys":{"k1":"${KEY}","k1":"${Buffer.alloc(32, 9).toString('base64')}"}}`,
    'is not JSON, or has a member twice',
  ],
  [{ active: 'k1' }, 'has no object "keys"'],
  [{ active: 'k1', keys: [KEY] }, 'has no object "keys"'],
  [{ active: 'k1', keys: {} }, 'names no "active" key that "keys" has'],
  [{ active: 'k2', keys: { k1: KEY } }, 'names no "active" key that "keys" has'],
  [{ keys: { k1: KEY } }, 'names no "active" key that "keys" has'],
  [{ active: 'k1', keys: { k1: KEY }, more: 1 }, 'has members other than "active", "keys" and "receiver"'],
  [{ active: 'k1', keys: { k1: KEY.slice(4) } }, 'has a key k1 that is not the base64 of 32 bytes'],
  [{ active: 'k1', keys: { k1: KEY.replace('=', '') } }, 'has a key k1 that is not the base64 of 32 bytes'],
  [{ active: 'k1', keys: { k1: 'x'.repeat(44) } }, 'has a key k1 that is not the base64 of 32 bytes'],
  [{ active: 'k1', keys: { k1: 7 } }, 'has a key k1 that is not the base64 of 32 bytes'],
  [{ active: 'k1', keys: { k1: Buffer.alloc(32).toString('base64') } }, 'has a key k1 of zeros'],
  [{ active: 'k 1', keys: { 'k 1': KEY } }, 'has a key id other than'],
])('refused: %j', (content, reason) => {
  const parsed = parseKeyRing(typeof content === 'string' ? content : JSON.stringify(content));
  expect(parsed).toEqual({ ok: false, reason: expect.stringContaining(reason) as string });
});

test('a refusal repeats no key, wherever it is', () => {
  const parsed = parseKeyRing(JSON.stringify({ active: 'k1', keys: { [KEY]: 'k1' } }));
  expect(JSON.stringify(parsed)).not.toContain(KEY.slice(0, 8));
});
