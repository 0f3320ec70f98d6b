import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * JSON whose numbers keep their literal: `100.10` and 9007199254740993 stay unchanged. A repeated key with two values
 * is an error.
 */
export function readJson(text: string): unknown {
  return parse(text);
}

export function writeJson(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** A JSON number with exactly this literal. */
export const literal = (text: string): LosslessNumber => new LosslessNumber(text);

/** The literal of a JSON number; null for everything else. */
export function literalText(value: unknown): string | null {
  return isLosslessNumber(value) ? value.value : null;
}

/** A field of an object; undefined: `value` is not an object or has no such field. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
