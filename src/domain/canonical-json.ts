/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * The text of a JSON value by RFC 8785: names in the order of their UTF-16 code units, no spaces, numbers and strings
 * as ECMAScript writes them. Equal values have equal text, however they were written.
 *
 * @throws RangeError a number that is not finite, or a string with half a surrogate pair: JSON has neither
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError('a number that is not finite');
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new RangeError('half a surrogate pair');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
}

const isList = (value: readonly Json[] | { readonly [name: string]: Json }): value is readonly Json[] =>
  Array.isArray(value);
