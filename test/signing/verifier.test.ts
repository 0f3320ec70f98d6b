import { createHmacVerifier, signRequest } from '../../src/signing/hmac';
import type { HmacScheme } from '../../src/signing/hmac';
import { NonceMemory } from '../../src/signing/nonce-memory';
import type { SignableRequest } from '../../src/signing/signable-request';
import { request, scheme } from './scheme';

const LINES = scheme('{timestamp}\\n{nonce}\\n{method}\\n{path}\\n{bodySha256}');
const ORDER = request('{"amount":100.10}', '/create');
const NOW_MS = 1_700_000_000_000;

function verifier(over: HmacScheme, secrets = ['key'], now = () => NOW_MS) {
  const verify = createHmacVerifier({ scheme: over, secrets: () => secrets, now });
  return (given: SignableRequest, headers: Readonly<Record<string, string>>) => {
    const verdict = verify(given, (name) => headers[name] ?? null);
    return verdict.ok ? 'ok' : verdict.reason;
  };
}

const signed = (over: HmacScheme, seconds = NOW_MS / 1000, key = 'key') =>
  signRequest(over, key, ORDER, { timestamp: String(seconds) });

test.each(['{body}', '[{path}]{body}', '{timestamp}.{body}', '{nonce}{method}{url}{bodySha256}'])(
  'what is signed as %j is verified',
  (content) => {
    for (const rest of [{}, { hash: 'sha512', encoding: 'base64', prefix: 'v1,' }] as const)
      expect(verifier(scheme(content, rest))(ORDER, signed(scheme(content, rest)))).toBe('ok');
  },
);

test('another key, and any change of what is signed', () => {
  const verify = verifier(LINES);
  const headers = signed(LINES);
  expect(verify(ORDER, signed(LINES, NOW_MS / 1000, 'other'))).toBe('wrong');
  expect(verify({ ...ORDER, body: Buffer.from('{"amount":100.1}') }, headers)).toBe('wrong');
  expect(verify({ ...ORDER, path: '/create/' }, headers)).toBe('wrong');
  expect(verify({ ...ORDER, method: 'PUT' }, headers)).toBe('wrong');
  expect(verify(ORDER, { ...headers, 'X-Nonce': 'another' })).toBe('wrong');
  expect(verify(ORDER, { ...headers, 'X-Timestamp': String(NOW_MS / 1000 - 1) })).toBe('wrong');
  expect(verify(ORDER, { ...headers, 'X-Signature': '' })).toBe('wrong');
  // None of these has used the nonce up.
  expect(verify(ORDER, headers)).toBe('ok');
});

test.each(['X-Signature', 'X-Timestamp', 'X-Nonce'])('without %s', (name) => {
  const { [name]: _, ...headers } = signed(LINES);
  expect(verifier(LINES)(ORDER, headers)).toBe('missing');
});

test('a replay is refused, for as long as its timestamp would do', () => {
  let nowMs = NOW_MS;
  const verify = verifier(LINES, ['key'], () => nowMs);
  // Of a sender whose clock is ahead of ours.
  const headers = signed(LINES, NOW_MS / 1000 + 300);
  expect(verify(ORDER, headers)).toBe('ok');
  for (const laterMs of [0, 1_000, 600_000]) {
    nowMs = NOW_MS + laterMs;
    expect(verify(ORDER, headers)).toBe('replayed');
  }
  nowMs = NOW_MS + 600_001;
  expect(verify(ORDER, headers)).toBe('old');
});

test.each([
  [-301, 'old'],
  [-300, 'ok'],
  [300, 'ok'],
  [301, 'old'],
])('a timestamp %i s away is %s', (awaySeconds, expected) => {
  expect(verifier(LINES)(ORDER, signed(LINES, NOW_MS / 1000 + awaySeconds))).toBe(expected);
});

test.each(['', '-1700000000', '1.7e9', '1700000000.0', ' 1700000000', '0x6553f100'])(
  'a timestamp %j is none',
  (timestamp) => {
    expect(verifier(LINES)(ORDER, signRequest(LINES, 'key', ORDER, { timestamp }))).toBe('old');
  },
);

test('while a secret is changed, both are good; afterwards the new one alone', () => {
  const secrets = ['new', 'old'];
  const verify = verifier(LINES, secrets);
  expect(verify(ORDER, signed(LINES, NOW_MS / 1000, 'old'))).toBe('ok');
  expect(verify(ORDER, signed(LINES, NOW_MS / 1000, 'new'))).toBe('ok');
  secrets.pop();
  expect(verify(ORDER, signed(LINES, NOW_MS / 1000, 'old'))).toBe('wrong');
});

test('hex digits count in either case, base64 does not, nor does a prefix', () => {
  const hex = scheme('{body}', { prefix: 'Sig=' });
  const upper = (text: string) => `Sig=${text.slice(4).toUpperCase()}`;
  const value = signed(hex)['X-Signature']!;
  expect(verifier(hex)(ORDER, { 'X-Signature': upper(value) })).toBe('ok');
  expect(verifier(hex)(ORDER, { 'X-Signature': value.toLowerCase() })).toBe('wrong');
  const base64 = scheme('{body}', { encoding: 'base64' });
  expect(verifier(base64)(ORDER, { 'X-Signature': signed(base64)['X-Signature']!.toLowerCase() })).toBe(
    'wrong',
  );
});

test('nonces are forgotten after their time, and the oldest first when there are too many', () => {
  const memory = new NonceMemory({ keepMs: 10 });
  expect([memory.add('a', 0), memory.add('a', 10), memory.add('a', 11)]).toEqual([true, false, true]);
  const full = new NonceMemory({ keepMs: Infinity });
  for (let i = 0; i <= 100_000; i++) full.add(String(i), 0);
  expect([full.add('100000', 0), full.add('0', 0)]).toEqual([false, true]);
});
