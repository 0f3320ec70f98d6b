import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x110000 - SURROGATES;

/**
 * Any Unicode character except surrogates, each equally likely, as with `unit: 'binary'`. That unit builds a table of a
 * million characters, which takes more than a second in each test file.
 */
const anyCharacter = fc.nat(CHARACTERS - 1).map(characterAt, indexOf);

function characterAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES);
}

function indexOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
  const index = code === undefined || code < SURROGATES_FROM ? code : code - SURROGATES;
  // A lone surrogate is not a character, and two characters are too many.
  if (index === undefined || index < 0 || characterAt(index) !== value) throw new Error('not one character');
  return index;
}

/** Any well-formed text. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter });
