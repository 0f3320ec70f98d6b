import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x110000 - SURROGATES;

/**
 * Any character: the values that `unit: 'binary'` gives, with the same chances. To find the index of one of them, that
 * makes a table of a million characters: more than a second for each test file.
 */
const anyCharacter = fc.nat(CHARACTERS - 1).map(characterAt, indexOf);

function characterAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES);
}

function indexOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
  const index = code === undefined || code < SURROGATES_FROM ? code : code - SURROGATES;
  // Half a surrogate pair is none, nor are two characters.
  if (index === undefined || index < 0 || characterAt(index) !== value) throw new Error('not one character');
  return index;
}

/** Any well-formed text. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter });
