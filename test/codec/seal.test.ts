import fc from 'fast-check';
import { SealError, open, seal } from '../../src/codec/seal';
import { freshKeyRing } from './key-rings';

const ring = freshKeyRing('k2', 'k1');

const whyNot = (action: () => unknown): string => {
  try {
    action();
    return 'opened';
  } catch (error) {
    return error instanceof SealError ? error.why : String(error);
  }
};

test('what is sealed opens, under the same context only', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (plain, context, other) => {
      const sealed = seal(ring, context, plain);
      expect([...open(ring, context, sealed)]).toEqual([...plain]);
      if (other !== context) expect(whyNot(() => open(ring, other, sealed))).toBe('altered');
    }),
  );
});

test('one changed or missing byte, and it does not open', () => {
  const sealed = seal(ring, 'place', Buffer.from('amount 10.00'));
  for (let i = 0; i < sealed.data.length; i++) {
    const data = Buffer.from(sealed.data);
    data[i] = (data[i] ?? 0) ^ 1;
    expect(whyNot(() => open(ring, 'place', { ...sealed, data }))).toBe('altered');
    const cut = sealed.data.subarray(0, i);
    expect(whyNot(() => open(ring, 'place', { ...sealed, data: cut }))).toBe('altered');
  }
});

test('the same text is sealed differently each time', () => {
  const texts = Array.from({ length: 100 }, () => seal(ring, '', Buffer.from('x')).data.toString('hex'));
  expect(new Set(texts).size).toBe(100);
});

test('a key that was rotated still opens; one that is gone is named', () => {
  const before = freshKeyRing('k1');
  const sealed = seal(before, '', Buffer.from('x'));
  const after = { active: 'k2', keys: new Map([...ring.keys, ...before.keys]) };
  expect(open(after, '', sealed).toString()).toBe('x');
  expect(() => open(freshKeyRing('k9'), '', sealed)).toThrow(
    'no key k1 in the key ring: add it to CODEC_KEYS_FILE',
  );
});

test('an id that is no id is not repeated', () => {
  expect(() => open(ring, '', { keyId: 'a\nb', data: Buffer.alloc(40) })).toThrow('no key (unreadable id)');
});

test('each seal is counted by the id of its key, which shows when a key is used up', () => {
  const told: string[] = [];
  const ring = { ...freshKeyRing('k1', 'k2'), onSeal: (keyId: string) => told.push(keyId) };
  seal(ring, 'here', Buffer.from('x'));
  seal({ ...ring, active: 'k2' }, 'here', Buffer.from('x'));
  expect(told).toEqual(['k1', 'k2']);
});
