import fc from 'fast-check';
import { escapeControls, oneLine } from '../../src/domain/printable';
import { anyText } from './any-text';

const ESC = '\u001b';

test.each([
  [`${ESC}]52;c;ZXZpbA==\u0007`, '\\u001b]52;c;ZXZpbA==\\u0007'],
  ['\u009b2J', '\\u009b2J'],
  ['\u202egro.knab', '\\u202egro.knab'],
  ['\u2066a\u2069\u200f\u061c', '\\u2066a\\u2069\\u200f\\u061c'],
  ['a\rb\u007f\tc', 'a\\u000db\\u007f\\u0009c'],
  ['Ñandú 漢字 👍 \\u001b', 'Ñandú 漢字 👍 \\u001b'],
])('%j is printed as %s', (text, printed) => {
  expect([escapeControls(text), oneLine(text)]).toEqual([printed, printed]);
});

test('line feeds are left to who writes lines, and are none in a value', () => {
  expect(escapeControls('a\nb\r\nc')).toBe('a\nb\r\nc');
  expect(oneLine('a\nb\r\nc')).toBe('a\\u000ab\\u000d\\u000ac');
});

test('an escaped JSON text is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText(), (value, text) => {
      const both = { value, text, controls: '\u0000\u007f\u009b\u202e\u2028' };
      const printed = escapeControls(JSON.stringify(both, null, 2));
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(both)));
      expect(printed).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
