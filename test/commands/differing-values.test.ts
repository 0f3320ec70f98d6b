import { byLastFour, differenceLines } from '../../src/commands/support/differing-values';
import type { ShownDifference } from '../../src/commands/support/differing-values';
import type { KeptDifference } from '../../src/journal/statements/differing-values';

const FIELD = 'destination.personId';
const AT = '2026-05-12T14:03:07.000Z';

const kept = (ordered: string, reported: readonly string[]): KeptDifference => ({
  ...{ number: 3, at: AT, fields: [FIELD] },
  content: { kind: 'opened', values: [{ field: FIELD, ordered, reported }] },
});

test.each([
  ['20-21834641-4', '6414'],
  ['00090016 00000000000017', '0017'],
  // Four digits of so short a number would be half of it.
  ['1234567', null],
  ['mi.alias.mp', null],
  ['000900160000000000****', null],
  ['', null],
])('the last four digits of %j: %j', (text, digits) => {
  expect(byLastFour(kept(text, [text, '30714979732'])).values).toEqual([
    { field: FIELD, ordered: digits, reported: [digits, '9732'] },
  ]);
});

test('the bank’s text moves nothing in a terminal', () => {
  const difference: ShownDifference = {
    ...{ number: 3, at: AT, fields: [FIELD], shown: 'whole', why: null },
    values: [{ field: FIELD, ordered: '20218346414', reported: ['a\u001b[2Jb\nc\u202e'] }],
  };
  const text = differenceLines(4711, difference);
  expect(text.join('\n')).toContain(`${FIELD}  20218346414  a?[2Jb?c?\n`);
  expect(text).toHaveLength(4);
});
