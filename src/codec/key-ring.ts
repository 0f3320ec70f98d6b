import { randomBytes } from 'node:crypto';
import { parse } from 'lossless-json';

/**
 * The key ring of `CODEC_KEYS_FILE`: `{"active":"k2","keys":{"k1":"<base64 of 32 bytes>","k2":"…"}}`. The active key
 * encrypts; every key decrypts, so that what was written under an older key stays readable. A member
 * `"receiver":{"r1":"<base64 of 32 bytes>",…}` holds the private keys that open what receivers seal.
 */
export interface KeyRing {
  readonly active: string;
  readonly keys: ReadonlyMap<string, Buffer>;
  /** P-256 private keys by id; absent: notifications are not sealed. */
  readonly receiverKeys?: ReadonlyMap<string, Buffer>;
  /** Called with each value that a key seals; must not throw. */
  readonly onSeal?: (keyId: string) => void;
}

export type ParsedKeyRing =
  | { readonly ok: true; readonly value: KeyRing }
  /** Completes a sentence that starts with the file's name; never contains a key. */
  | { readonly ok: false; readonly reason: string };

/** AES-256. */
const KEY_BYTES = 32;

/** As many keys as fit into a settings file of 256 KiB: a fresh key each day for eleven years. */
export const KEYS_MAX = 4_000;

/** Ids are stored in clear with the ciphertext. */
export const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;

export function parseKeyRing(text: string): ParsedKeyRing {
  let content: unknown;
  try {
    // Refuses an id that comes twice with different keys: only one of them would be kept, and what the other one sealed
    // would not open.
    content = parse(text, null, Number);
  } catch {
    // The parser's own message would repeat a piece of the file.
    return refuse('is not JSON, or has a member twice');
  }
  if (!isObject(content)) return refuse('is not a JSON object');
  const { active, keys, receiver = {}, ...more } = content;
  if (Object.keys(more).length > 0) {
    return refuse('has members other than "active", "keys" and "receiver"');
  }
  if (!isObject(keys)) return refuse('has no object "keys"');
  if (!isObject(receiver)) return refuse('has a "receiver" that is not an object');
  const ring = parseKeys(keys);
  if (typeof ring === 'string') return refuse(ring);
  const receiverKeys = parseKeys(receiver);
  if (typeof receiverKeys === 'string') return refuse(`${receiverKeys} (in "receiver")`);
  if (typeof active !== 'string' || !ring.has(active)) return refuse('names no "active" key that "keys" has');
  return { ok: true, value: { active, keys: ring, ...(receiverKeys.size === 0 ? {} : { receiverKeys }) } };
}

/** The keys by id, or what is wrong with them. */
function parseKeys(keys: Record<string, unknown>): Map<string, Buffer> | string {
  const entries = Object.entries(keys);
  if (entries.length > KEYS_MAX) return `has more than ${KEYS_MAX} keys`;
  const ring = new Map<string, Buffer>();
  for (const [id, value] of entries) {
    // An invalid id may be a key in the wrong place, so it is not repeated.
    if (!KEY_ID.test(id)) return 'has a key id other than 1–64 letters, digits, dots, dashes, underscores';
    const key = Buffer.from(typeof value === 'string' ? value : '', 'base64');
    if (key.toString('base64') !== value || key.length !== KEY_BYTES) {
      return `has a key ${id} that is not the base64 of ${KEY_BYTES} bytes`;
    }
    if (key.every((byte) => byte === 0)) return `has a key ${id} of zeros`;
    ring.set(id, key);
  }
  return ring;
}

const refuse = (reason: string): ParsedKeyRing => ({ ok: false, reason });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A ring with one fresh key, `k1`. */
export const newKeyRing = (): KeyRing => ({ active: 'k1', keys: new Map([['k1', freshKey()]]) });

/**
 * Adds a fresh key under the next free id `k<number>`. The fresh key does not encrypt yet: every process must have it
 * before any process encrypts with it.
 */
export function withFreshKey(ring: KeyRing): { readonly ring: KeyRing; readonly id: string } {
  if (ring.keys.size >= KEYS_MAX) throw new RangeError(`a key ring holds at most ${KEYS_MAX} keys`);
  const id = freeId('k', [...ring.keys.keys()]);
  return { id, ring: { ...ring, keys: new Map([...ring.keys, [id, freshKey()]]) } };
}

/** The next free id of a receiver's key, `r<number>`. */
export const freeReceiverId = ({ receiverKeys }: Pick<KeyRing, 'receiverKeys'>): string =>
  freeId('r', [...(receiverKeys?.keys() ?? [])]);

export const withReceiverKey = (ring: KeyRing, id: string, privateKey: Buffer): KeyRing => ({
  ...ring,
  receiverKeys: new Map([...(ring.receiverKeys ?? []), [id, privateKey]]),
});

function freeId(letter: string, ids: readonly string[]): string {
  const form = new RegExp(`^${letter}([0-9]{1,9})$`);
  return `${letter}${Math.max(0, ...ids.map((id) => Number(form.exec(id)?.[1] ?? 0))) + 1}`;
}

/** Makes `id` the key that encrypts; null: the ring has no such key. */
export const withActive = (ring: KeyRing, id: string): KeyRing | null =>
  ring.keys.has(id) ? { ...ring, active: id } : null;

/** The text of `CODEC_KEYS_FILE`, with a line feed at its end. */
export function keyRingText({ active, keys, receiverKeys }: KeyRing): string {
  const encoded = (map: ReadonlyMap<string, Buffer>) =>
    Object.fromEntries([...map].map(([id, key]) => [id, key.toString('base64')]));
  const receiver = receiverKeys === undefined ? {} : { receiver: encoded(receiverKeys) };
  return `${JSON.stringify({ active, keys: encoded(keys), ...receiver }, null, 2)}\n`;
}

const freshKey = (): Buffer => randomBytes(KEY_BYTES);
