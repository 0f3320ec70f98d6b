import { signRequest } from '../../src/signing/hmac';
import { request, scheme } from './scheme';

/**
 * Schemes as they are published, and what they give: the first two are the publisher's own values, the others were
 * computed with Python's `hmac` over the content written out by hand.
 */
const KEY = 'llave-de-prueba';
const BODY = '{"originId":4711,"body":{"amount":100.10,"description":"Seña"}}';
const TARGET = '/api/v2/apibank/movements/transfer-request';
const FRESH = { timestamp: '1700000000', nonce: 'n-1' };

test('body only with a prefix: the example of GitHub’s documentation', () => {
  const github = scheme('{body}', { header: 'X-Hub-Signature-256', prefix: 'sha256=' });
  expect(signRequest(github, "It's a Secret to Everybody", request('Hello, World!'))).toEqual({
    'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  });
});

test.each([
  ['sha256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  [
    'sha512',
    '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  ],
] as const)('RFC 4231, test case 2, %s', (hash, expected) => {
  const headers = signRequest(scheme('{body}', { hash }), 'Jefe', request('what do ya want for nothing?'));
  expect(headers).toEqual({ 'X-Signature': expected });
});

test('path in brackets and body, hex', () => {
  expect(signRequest(scheme('[{pathTrimmed}]{body}'), KEY, request(BODY, TARGET))).toEqual({
    'X-Signature': 'f0ce3f713a11910d5d62e794d4bb2117355bf1a339bd2f7b7dee47bcd697e756',
  });
});

test('timestamp.path.body, base64', () => {
  const dotted = scheme('{timestamp}.{path}.{body}', { encoding: 'base64', timestampHeader: 'Date-Sent' });
  expect(signRequest(dotted, KEY, request(BODY, TARGET), FRESH)).toEqual({
    'X-Signature': 'RzBfKVlO3nO768ZrfJOwcDyJOYJGsxWnTOVZco3i+9A=',
    'Date-Sent': '1700000000',
  });
});

test('the default: timestamp, nonce, method, path and the hash of the body, by line', () => {
  const lines = scheme('{timestamp}\\n{nonce}\\n{method}\\n{path}\\n{bodySha256}');
  expect(signRequest(lines, KEY, request(BODY, `${TARGET}?v=2`), FRESH)).toEqual({
    'X-Signature': 'b5ba05595a59b5b3a721d9f6022c429e5dbb0ba6bcd81f345485e283b02d0e5f',
    'X-Timestamp': '1700000000',
    'X-Nonce': 'n-1',
  });
});

test('method, address, query and body, SHA-512 in base64', () => {
  const piped = scheme('{method}|{url}|{query}|{body}', { hash: 'sha512', encoding: 'base64' });
  expect(signRequest(piped, KEY, request(BODY, `${TARGET}?v=2&w=a%20b`))).toEqual({
    'X-Signature': 't8mNf3BsbnTmv6eFT+namD9/EEJvxyj9347b22zkBTiYNjVIZTPnH7Z5C5AG0HqgN8ph6jBzlXSawwzJd4Nfhw==',
  });
});

test('nonce and the hash of an empty body', () => {
  expect(signRequest(scheme('{nonce}{bodySha256}'), KEY, request('', TARGET), FRESH)).toEqual({
    'X-Signature': '7b0df51b083127cb82bb77c10d49375143d1859a41c9d5b260741b8db62c2a51',
    'X-Nonce': 'n-1',
  });
});
