import { hmacVerifier, messageVerifier } from '../../src/sandbox-bank';
import { signMessage } from '../../src/signing/message-signature';
import { signRequest } from '../../src/signing/hmac';
import type { SignableRequest } from '../../src/signing/signable-request';
import { scheme } from '../signing/scheme';
import { CREATE, QUERY, call, orderText, withBank } from './client';

/** An eavesdropper cannot make a second transfer: over real sockets, with the product's signer. */

const LINES = scheme('{timestamp}\\n{nonce}\\n{method}\\n{path}\\n{bodySha256}');
const QUARTER_HOUR_MS = 900_000;

type Sign = (
  key: string,
  request: SignableRequest,
  atMs: number,
) => Promise<Readonly<Record<string, string>>>;
const signers = {
  template: (key, request, atMs) =>
    Promise.resolve(signRequest(LINES, key, request, { timestamp: String(Math.floor(atMs / 1_000)) })),
  'RFC 9421': (key, request, atMs) =>
    signMessage({ keyId: 'giro' }, key, request, { created: new Date(atMs) }),
} satisfies Record<string, Sign>;
const verifiers = {
  template: () => hmacVerifier({ scheme: LINES, secrets: () => ['key'] }),
  'RFC 9421': () => messageVerifier({ secrets: () => ['key'] }),
};

test.each(['template', 'RFC 9421'] as const)(
  '%s: a replay, an old request, an altered body, another path and another key are refused, and nothing is taken',
  async (kind) => {
    await withBank(
      [],
      async (bank) => {
        const body = orderText();
        const signed = (key = 'key', atMs = Date.now()) => {
          const url = `${bank.baseUrl}${CREATE}`;
          const request = { method: 'POST', url, path: CREATE, query: '', body: Buffer.from(body) };
          return signers[kind](key, request, atMs);
        };
        const send = async (headers: Readonly<Record<string, string>>, path = CREATE, text = body) =>
          (
            await call(bank, path, {
              headers: { 'content-type': 'application/json', ...headers },
              body: text,
            })
          ).status;

        expect(await send(await signed(), CREATE, orderText({ amount: '1500.26' }))).toBe(401);
        expect(await send(await signed('another'))).toBe(401);
        expect(await send(await signed('key', Date.now() - QUARTER_HOUR_MS))).toBe(401);
        expect(await send(await signed(), QUERY)).toBe(401);
        expect(await send({})).toBe(401);
        expect(bank.book.movements()).toHaveLength(0);

        const good = await signed();
        expect(await send(good)).toBe(200);
        expect(await send(good)).toBe(401);
        expect(bank.book.movements()).toHaveLength(1);
      },
      { verifySignature: verifiers[kind]() },
    );
  },
);
