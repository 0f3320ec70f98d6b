import { canonicalJson } from '../../src/domain/canonical-json';
import type { Json } from '../../src/domain/canonical-json';

/** RFC 8785, section 3.2.2 and 3.2.3. */
test('the example of the RFC', () => {
  const value = {
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('names in the order of their UTF-16 code units, on every level', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
  const value = { inner: Object.fromEntries(names.map((name) => [name, 0])) };
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
  expect(canonicalJson(value)).toBe(
    `{"inner":{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}}`,
  );
});

test.each<[string, Json]>([
  ['a number that is not finite', [NaN]],
  ['half a surrogate pair', { a: '\ud800' }],
  ['half a surrogate pair', { '\udc00': 1 }],
])('refuses %s', (message, value) => {
  expect(() => canonicalJson(value)).toThrow(message);
});
