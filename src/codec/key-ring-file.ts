import { randomBytes } from 'node:crypto';
import { KEYS_MAX, KEY_BYTES } from './key-ring';
import type { KeyRing } from './key-ring';

/** A ring with one fresh key, `k1`. */
export const newKeyRing = (): KeyRing => ({ active: 'k1', keys: new Map([['k1', freshKey()]]) });

/**
 * Adds a fresh key under the next free id `k<number>`. It does not encrypt yet: every process must be able to read it
 * before one writes with it.
 */
export function withFreshKey(ring: KeyRing): { readonly ring: KeyRing; readonly id: string } {
  if (ring.keys.size >= KEYS_MAX) throw new RangeError(`a key ring holds at most ${KEYS_MAX} keys`);
  const numbers = [...ring.keys.keys()].map((id) => Number(/^k([0-9]{1,9})$/.exec(id)?.[1] ?? 0));
  const id = `k${Math.max(0, ...numbers) + 1}`;
  return { id, ring: { ...ring, keys: new Map([...ring.keys, [id, freshKey()]]) } };
}

/** Makes `id` the key that encrypts; null: the ring has no such key. */
export const withActive = (ring: KeyRing, id: string): KeyRing | null =>
  ring.keys.has(id) ? { ...ring, active: id } : null;

/** The text of `CODEC_KEYS_FILE`, with a line feed at its end. */
export function keyRingText({ active, keys }: KeyRing): string {
  const encoded = Object.fromEntries([...keys].map(([id, key]) => [id, key.toString('base64')]));
  return `${JSON.stringify({ active, keys: encoded }, null, 2)}\n`;
}

const freshKey = (): Buffer => randomBytes(KEY_BYTES);
