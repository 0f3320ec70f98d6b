import { readOperator, readReason } from '../../src/domain/audit-words';

describe('who, and why', () => {
  it.each([
    ['ana', 'ana'],
    ['', null],
    [' \t', null],
    ['a\nb', null],
    ['a\u001b[2Jb', null],
    ['x'.repeat(201), null],
    ['of 27361705039', null],
    ['of 27-36170503-9', null],
    ['to 0009001600000000000017', null],
  ])('%j: %j', (text, read) => {
    expect([readReason(text), readOperator(text)]).toEqual([read, read]);
  });
  it('a reason may hold what a name may not', () => {
    for (const text of ['José Núñez', 'claim 88 of 2026-03-01'])
      expect([readReason(`  ${text} `), readOperator(text)]).toEqual([text, null]);
  });
  it('a name is shorter than a reason', () => {
    const long = 'x'.repeat(101);
    expect([readOperator(long), readReason(long)]).toEqual([null, long]);
  });
});
