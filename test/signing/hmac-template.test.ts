import { readTemplate, render } from '../../src/signing/hmac-template';
import { request, template } from './scheme';

const NOT_USED = { timestamp: '', nonce: '' };

test.each([
  ['{body}\\n', 'B\n'],
  ['\\r\\n\\t\\\\n{body}', '\r\n\t\\nB'],
  ['{body}\n', 'B\n'],
  ['[{pathTrimmed}]{body}', '[a//b]B'],
  ['{path} {query} {url} {method}', '//a//b/ q=1?2 https://bank.example//a//b/?q=1?2 POST'],
])('%j gives %j', (text, expected) => {
  expect(render(template(text), request('B', '//a//b/?q=1?2'), NOT_USED).toString()).toBe(expected);
});

test('bytes of the body that are no text stay as they are', () => {
  const body = Buffer.of(0xff, 0x00, 0xc3);
  expect(render(template('<{body}>'), { ...request(''), body }, NOT_USED)).toEqual(
    Buffer.of(0x3c, 0xff, 0x00, 0xc3, 0x3e),
  );
});

test.each([
  ['{Body}', 'has the unknown placeholder {Body}'],
  ['{}', 'has the unknown placeholder {}'],
  ['{toString}', 'has the unknown placeholder {toString}'],
  ['{body', 'has a { that belongs to no placeholder'],
  ['{{body}}', 'has a { that belongs to no placeholder'],
  ['body}', 'has a } that belongs to no placeholder'],
  ['{body}\\', 'has a \\ that is not \\n, \\r, \\t or \\\\'],
  ['{body}\\x', 'has a \\ that is not'],
  ['body', 'has no placeholder'],
  ['', 'has no placeholder'],
])('%j is refused', (text, reason) => {
  expect(readTemplate(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) as string });
});
