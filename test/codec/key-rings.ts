import { randomBytes } from 'node:crypto';
import { parseKeyRing } from '../../src/codec/key-ring';
import type { KeyRing } from '../../src/codec/key-ring';

/** A ring of fresh random keys; the first is active. */
export function freshKeyRing(...ids: readonly [string, ...string[]]): KeyRing {
  return ringOf(ids[0], Object.fromEntries(ids.map((id) => [id, randomBytes(32).toString('base64')])));
}

export function ringOf(active: string, keys: Readonly<Record<string, string>>): KeyRing {
  const parsed = parseKeyRing(JSON.stringify({ active, keys }));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}
