import { readReason } from '../../src/domain/audit-words';

it.each([
  ['ana', 'ana'],
  ['  José Núñez ', 'José Núñez'],
  ['claim 88 of 2026-03-01', 'claim 88 of 2026-03-01'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['', null],
  [' \t', null],
  ['a\nb', null],
  ['a\u001b[2Jb', null],
  ['x'.repeat(201), null],
  ['of 27361705039', null],
  ['of 27-36170503-9', null],
  ['to 0009001600000000000017', null],
])('reason %j: %j', (text, read) => {
  expect(readReason(text)).toBe(read);
});
