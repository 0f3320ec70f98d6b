import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signRequest } from '../../src/signing/hmac';
import type { HmacScheme } from '../../src/signing/hmac';
import { readTemplate } from '../../src/signing/hmac-template';
import { deliveryKey } from '../../src/webhooks/accept-delivery';
import { isPathSecret, rotatingSecrets } from '../../src/webhooks/secrets';
import type { Delivery } from '../../src/webhooks/verify';
import { hmacVerifier, standardVerifier } from '../../src/webhooks/verify';

const BODY = Buffer.from('{"originId":4711}');

function delivery(headers: Readonly<Record<string, string>>, body = BODY): Delivery {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: 'POST',
    url: 'https://giro.example/webhooks/x?a=1',
    path: '/webhooks/x',
    query: 'a=1',
    body,
    header: (name) => lower.get(name.toLowerCase()) ?? null,
  };
}

/** The headers of a sender that signs `text` now. */
function standardHeaders(key: string, text: string): Readonly<Record<string, string>> {
  const now = new Date();
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign('msg_1', now, text),
  };
}

function scheme(content: string): HmacScheme {
  const read = readTemplate(content);
  if (!read.ok) throw new Error(read.reason);
  return {
    header: 'X-Signature',
    hash: 'sha256',
    encoding: 'hex',
    prefix: '',
    content: read.template,
    timestampHeader: 'X-Timestamp',
    nonceHeader: 'X-Nonce',
  };
}

describe('hmac', () => {
  const timed = scheme('{timestamp}\\n{nonce}\\n{method}\\n{path}\\n{bodySha256}');

  test('a good signature, and the same request once more', () => {
    const verify = hmacVerifier(timed, () => ['one-secret']);
    const signed = delivery(signRequest(timed, 'one-secret', delivery({})));
    expect(verify(signed)).toEqual({ ok: true, deliveryId: null });
    expect(verify(signed)).toEqual({ ok: true, deliveryId: null });
  });

  test('another secret, another body, an old time, nothing at all', () => {
    const verify = hmacVerifier(timed, () => ['one-secret']);
    const good = signRequest(timed, 'one-secret', delivery({}));
    const old = String(Math.floor(Date.now() / 1000) - 400);
    for (const [bad, reason] of [
      [delivery(signRequest(timed, 'other-secret', delivery({}))), 'wrong'],
      [delivery(good, Buffer.from('{"originId":4712}')), 'wrong'],
      [delivery(signRequest(timed, 'one-secret', delivery({}), { timestamp: old })), 'old'],
      [delivery({}), 'missing'],
    ] as const) {
      expect(verify(bad)).toEqual({ ok: false, reason });
    }
  });

  test('a content without time and nonce, as a neighbouring bank signs', () => {
    const bracketed = scheme('[{path}]{body}');
    const verify = hmacVerifier(bracketed, () => ['one-secret']);
    expect(verify(delivery(signRequest(bracketed, 'one-secret', delivery({}))))).toMatchObject({ ok: true });
  });
});

test('while a key is changed both are good, then only the new one', () => {
  const [before, after] = [0, 1].map(() => `whsec_${randomBytes(24).toString('base64')}`) as [string, string];
  let secrets = [before];
  const verify = standardVerifier(() => secrets);
  const signed = (key: string) => delivery(standardHeaders(key, BODY.toString()));
  expect([verify(signed(before)).ok, verify(signed(after)).ok]).toEqual([true, false]);
  secrets = [after, before];
  expect([verify(signed(before)).ok, verify(signed(after)).ok]).toEqual([true, true]);
  secrets = [after];
  expect([verify(signed(before)).ok, verify(signed(after)).ok]).toEqual([false, true]);
});

test('Standard Webhooks: bytes that are no UTF-8 do not pass as similar text', () => {
  const key = `whsec_${randomBytes(24).toString('base64')}`;
  const headers = standardHeaders(key, '{"a":"\ufffd"}');
  const verify = standardVerifier(() => [key]);
  expect(verify(delivery(headers, Buffer.from('{"a":"\ufffd"}')))).toMatchObject({ ok: true });
  const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')]);
  expect(verify(delivery(headers, bytes))).toEqual({ ok: false, reason: 'no-text' });
});

test('a file of secrets is read again when it changes; an unreadable one changes nothing and is reported once', () => {
  let nowMs = 0;
  let file: readonly string[] | null = ['new'];
  let told = 0;
  const secrets = rotatingSecrets(
    ['old'],
    () => file,
    () => (told += 1),
    () => nowMs,
  );
  expect(secrets()).toEqual(['old']);
  nowMs = 2_000;
  expect(secrets()).toEqual(['new']);
  file = null;
  for (nowMs = 4_000; nowMs <= 10_000; nowMs += 2_000) expect(secrets()).toEqual(['new']);
  expect(told).toBe(1);
});

test('path secrets: any of them, and nothing near one', () => {
  const secrets = ['first-secret', 'second-secret'];
  expect(secrets.map((secret) => isPathSecret(secret, secrets))).toEqual([true, true]);
  for (const near of ['', 'first-secre', 'first-secrets', 'First-secret', 'first-secret,second-secret'])
    expect(isPathSecret(near, secrets)).toBe(false);
});

describe('delivery key', () => {
  const key = (body: unknown, id: string | null = null, pointer: string | null = null) =>
    deliveryKey(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), id, pointer);

  test('a signed id counts, else the id at the pointer, else the content', () => {
    expect(key({ a: 1 }, 'msg_1')).toBe(key({ a: 2 }, 'msg_1'));
    expect(key({ id: 'e1', a: 1 }, null, '/id')).toBe(key({ id: 'e1', a: 2 }, null, '/id'));
    expect(key({ id: null, a: 1 }, null, '/id')).not.toBe(key({ id: null, a: 2 }, null, '/id'));
    expect(key({ id: 'e1', status: 'CREATED' })).not.toBe(key({ id: 'e1', status: 'COMPLETED' }));
  });

  test('the counter of repeats is no content', () => {
    expect(key({ id: 'e1', data: {}, redeliveries: 0 })).toBe(key({ id: 'e1', data: {}, redeliveries: 3 }));
    expect(key({ id: 'e1', data: {}, redeliveries: 0 })).not.toBe(
      key({ id: 'e2', data: {}, redeliveries: 0 }),
    );
  });

  test('different bytes are different contents, be they UTF-8 or not', () => {
    const of = (byte: number) =>
      deliveryKey(
        Buffer.concat([Buffer.from('{"redeliveries":0,"a":"'), Buffer.of(byte), Buffer.from('"}')]),
        null,
        null,
      );
    expect(of(0xf1)).not.toBe(of(0xe9));
  });

  test('an id of any length and any character fits the inbox', () => {
    for (const id of ['x'.repeat(10_000), 'a\u0000b', 'ñ', ' '])
      expect(key({ id }, null, '/id')).toMatch(/^[\x21-\x7e]{1,255}$/);
  });
});
