/**
 * The key ring of `CODEC_KEYS_FILE`: `{"active":"k2","keys":{"k1":"<base64 of 32 bytes>","k2":"…"}}`. The active key
 * encrypts; every key decrypts, so that what was written under an older one stays readable.
 */
export interface KeyRing {
  readonly active: string;
  readonly keys: ReadonlyMap<string, Buffer>;
  /** Called with each value that a key seals; must not throw. */
  readonly onSeal?: (keyId: string) => void;
}

export type ParsedKeyRing =
  | { readonly ok: true; readonly value: KeyRing }
  /** A sentence that goes on after the file's name; never repeats a key. */
  | { readonly ok: false; readonly reason: string };

/** AES-256. */
export const KEY_BYTES = 32;

/** What a settings file of 256 KiB has room for: a fresh one each day for eleven years. */
export const KEYS_MAX = 4_000;

/** Ids travel in clear beside what they encrypt. */
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;

export function parseKeyRing(text: string): ParsedKeyRing {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's own message would repeat a piece of the file.
    return refuse('is not JSON');
  }
  if (!isObject(content)) return refuse('is not a JSON object');
  const { active, keys, ...more } = content;
  if (Object.keys(more).length > 0) return refuse('has members other than "active" and "keys"');
  if (!isObject(keys)) return refuse('has no object "keys"');
  const entries = Object.entries(keys);
  if (entries.length > KEYS_MAX) return refuse(`has more than ${KEYS_MAX} keys`);
  const ring = new Map<string, Buffer>();
  for (const [id, value] of entries) {
    // An id that is no id may be a key in the wrong place: it is not repeated.
    if (!KEY_ID.test(id))
      return refuse('has a key id other than 1–64 letters, digits, dots, dashes, underscores');
    const key = Buffer.from(typeof value === 'string' ? value : '', 'base64');
    if (key.toString('base64') !== value || key.length !== KEY_BYTES) {
      return refuse(`has a key ${id} that is not the base64 of ${KEY_BYTES} bytes`);
    }
    if (key.every((byte) => byte === 0)) return refuse(`has a key ${id} of zeros`);
    ring.set(id, key);
  }
  if (typeof active !== 'string' || !ring.has(active)) return refuse('names no "active" key that "keys" has');
  return { ok: true, value: { active, keys: ring } };
}

const refuse = (reason: string): ParsedKeyRing => ({ ok: false, reason });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
