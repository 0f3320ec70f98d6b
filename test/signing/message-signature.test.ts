import {
  contentDigest,
  createMessageVerifier,
  signMessage,
  signParts,
} from '../../src/signing/message-signature';
import type { SignableRequest } from '../../src/signing/signable-request';
import { request } from './scheme';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const ORDER = request('{"amount":100.10}', '/bank/create?v=1');
const SCHEME = { keyId: 'giro' };

test('RFC 9421, B.2.5: a request signed by hmac-sha256', async () => {
  const headers = await signParts(
    {
      method: 'POST',
      url: 'https://example.com/foo?param=Value&Pet=dog',
      headers: { Date: 'Tue, 20 Apr 2021 02:07:55 GMT', 'Content-Type': 'application/json' },
    },
    Buffer.from(
      'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
      'base64',
    ),
    {
      name: 'sig-b25',
      fields: ['date', '@authority', 'content-type'],
      created: new Date(1_618_884_473_000),
      keyId: 'test-shared-secret',
      nonce: null,
    },
  );
  expect(headers['Signature-Input']).toBe(
    'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
  );
  expect(headers['Signature']).toBe('sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:');
});

test('RFC 9530: the digest of its example', () => {
  expect(contentDigest(Buffer.from('{"hello": "world"}\n'))).toBe(
    'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  );
});

test('what is sent: digest, components, time, nonce and key', async () => {
  const headers = await signMessage(SCHEME, 'key', ORDER, { created: new Date(NOW_MS), nonce: 'n-1' });
  expect(Object.keys(headers).sort()).toEqual(['Content-Digest', 'Signature', 'Signature-Input']);
  expect(headers['Signature-Input']).toBe(
    'sig1=("@method" "@target-uri" "content-digest");created=1772366400;nonce="n-1";keyid="giro";alg="hmac-sha256"',
  );
  const nameless = await signMessage({ keyId: null }, 'key', ORDER, {
    created: new Date(NOW_MS),
    nonce: 'n',
  });
  expect(nameless['Signature-Input']).not.toContain('keyid');
});

describe('the verifier', () => {
  function verifier(secrets = ['key'], now = () => NOW_MS) {
    const verify = createMessageVerifier({ secrets: () => secrets, now });
    return async (given: SignableRequest, headers: Readonly<Record<string, string>>) => {
      const verdict = await verify(given, (name) => headers[name] ?? null);
      return verdict.ok ? 'ok' : verdict.reason;
    };
  }
  const signed = (secret = 'key', atMs = NOW_MS) =>
    signMessage(SCHEME, secret, ORDER, { created: new Date(atMs) });

  test('takes what was signed, by any of its secrets, once', async () => {
    const verify = verifier(['new', 'key']);
    const headers = await signed();
    expect(await verify(ORDER, headers)).toBe('ok');
    expect(await verify(ORDER, headers)).toBe('replayed');
    expect(await verify(ORDER, await signed('new'))).toBe('ok');
  });

  test('another key, and any change of what is signed', async () => {
    const verify = verifier();
    const headers = await signed();
    const { 'Signature-Input': input = '', Signature: signature = '' } = headers;
    const changed = (over: Readonly<Record<string, string>>) => verify(ORDER, { ...headers, ...over });
    const other = Buffer.from('{"amount":100.1}');
    expect(await verify(ORDER, await signed('other'))).toBe('wrong');
    expect(await verify({ ...ORDER, body: other }, headers)).toBe('wrong');
    expect(
      await verify({ ...ORDER, body: other }, { ...headers, 'Content-Digest': contentDigest(other) }),
    ).toBe('wrong');
    expect(await verify({ ...ORDER, method: 'PUT' }, headers)).toBe('wrong');
    expect(await verify({ ...ORDER, url: `${ORDER.url}0` }, headers)).toBe('wrong');
    expect(await changed({ 'Signature-Input': input.replace(/nonce="[^"]*"/, 'nonce="x"') })).toBe('wrong');
    expect(await changed({ 'Signature-Input': input.replace(/;nonce="[^"]*"/, '') })).toBe('wrong');
    expect(await changed({ 'Signature-Input': input.replace(/created=\d+/, 'created=1772366401') })).toBe(
      'wrong',
    );
    expect(await changed({ 'Signature-Input': input.replace(' "content-digest"', '') })).toBe('wrong');
    expect(await changed({ 'Signature-Input': input.replace('hmac-sha256', 'ed25519') })).toBe('wrong');
    expect(await changed({ Signature: signature.replace('sig1', 'sig2') })).toBe('wrong');
    expect(await changed({ 'Signature-Input': '((' })).toBe('wrong');
    // Two, of which the last is good.
    const both = {
      'Signature-Input': `sig0=${input.slice(5)}, ${input}`,
      Signature: `sig0=:AAAA:, ${signature}`,
    };
    expect(await changed(both)).toBe('wrong');
    // None of these has used the nonce up.
    expect(await verify(ORDER, headers)).toBe('ok');
  });

  test.each(['Content-Digest', 'Signature-Input', 'Signature'])('without %s', async (name) => {
    const { [name]: _, ...headers } = await signed();
    expect(await verifier()(ORDER, headers)).toBe('missing');
  });

  test.each([-301_000, 301_000])('signed %d ms from now', async (awayMs) => {
    expect(await verifier()(ORDER, await signed('key', NOW_MS + awayMs))).toBe('old');
    expect(await verifier()(ORDER, await signed('key', NOW_MS + awayMs * 0.99))).toBe('ok');
  });
});
