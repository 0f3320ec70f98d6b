import { LosslessNumber, isLosslessNumber, parse, stringify } from 'lossless-json';

/**
 * JSON whose numbers keep their text (`100.10`, `9007199254740993`): a number is a `LosslessNumber`, never a double. A
 * repeated key with different values is refused, because two readers could choose different values.
 */
export type JsonText = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** Maximum nesting depth, checked before the recursive parser starts; a movement has depth four. */
const JSON_DEPTH_MAX = 32;

export function parseJson(text: string): JsonText {
  if (nestsDeeperThan(text, JSON_DEPTH_MAX)) return { ok: false };
  try {
    return { ok: true, value: parse(text) };
  } catch {
    // The parser's message quotes the text, which may be personal: it is dropped.
    return { ok: false };
  }
}

/** The counterpart of `parseJson`: numbers keep their text. */
export function stringifyJson(value: unknown, indent?: number): string {
  return stringify(value, null, indent) ?? 'null';
}

/** A JSON object proper: not an array, null, or a number (which is an object here). */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Text of a JSON string or number; null for anything else. */
export function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return value instanceof LosslessNumber ? value.value : null;
}

function nestsDeeperThan(text: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      if (++depth > max) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}

/**
 * Parses a JSON pointer (RFC 6901). `''` is the complete document, `/errors/0/code` a value in it; `~1` stands for `/`,
 * `~0` for `~`. Throws on invalid text.
 */
export function parseJsonPointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer))
    throw new Error(`not a JSON pointer: ${pointer}`);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at the pointer, own properties only; undefined: no such value. */
export function valueAt(document: unknown, tokens: readonly string[]): unknown {
  let value = document;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}
