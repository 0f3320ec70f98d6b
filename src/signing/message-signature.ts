import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { TOLERANCE_MS } from './hmac';
import type { Verdict } from './hmac';
import { NonceMemory } from './nonce-memory';
import type { SignableRequest } from './signable-request';

/**
 * HTTP Message Signatures (RFC 9421) with `hmac-sha256` over method, full URL and the body's `Content-Digest` (RFC
 * 9530, sha-256), with `created`, a nonce and, if configured, the key's id.
 */
export interface MessageScheme {
  readonly keyId: string | null;
}

const COMPONENTS = ['@method', '@target-uri', 'content-digest'];
const ALGORITHM = 'hmac-sha256';
const NAME = 'sig1';
const NONCE_BYTES = 16;
/** Headers that requests under the scheme carry. */
export const MESSAGE_HEADERS = ['Content-Digest', 'Signature-Input', 'Signature'] as const;

type Headers = Record<string, string | string[]>;
type Key = string | Buffer;

/** The signed parts of a message, and the signature's parameters. */
export interface SignedParts {
  readonly name: string;
  readonly fields: readonly string[];
  readonly created: Date;
  readonly keyId: string | null;
  /** Null: no nonce, and no `alg` either. */
  readonly nonce: string | null;
}

/** The message's headers with `Signature-Input` and `Signature` added. */
export async function signParts(
  { method, url, headers }: { readonly method: string; readonly url: string; readonly headers: Headers },
  key: Key,
  { name, fields, created, keyId, nonce }: SignedParts,
): Promise<Headers> {
  const signed = await httpbis.signMessage(
    {
      key: {
        alg: ALGORITHM,
        ...(keyId === null ? {} : { id: keyId }),
        sign: (data) => Promise.resolve(hmac(key, data)),
      },
      name,
      fields: [...fields],
      params: nonce === null ? ['created', 'keyid'] : ['created', 'nonce', 'keyid', 'alg'],
      paramValues: { created, ...(nonce === null ? {} : { nonce }) },
    },
    { method, url, headers },
  );
  return signed.headers;
}

/** The headers that carry the signature of one request; `secret` is used as UTF-8 bytes. */
export async function signMessage(
  { keyId }: MessageScheme,
  secret: string,
  request: SignableRequest,
  {
    created = new Date(),
    nonce = randomBytes(NONCE_BYTES).toString('hex'),
  }: { readonly created?: Date; readonly nonce?: string } = {},
): Promise<Readonly<Record<string, string>>> {
  const headers = await signParts(
    { method: request.method, url: request.url, headers: { 'Content-Digest': contentDigest(request.body) } },
    secret,
    { name: NAME, fields: COMPONENTS, keyId, created, nonce },
  );
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** `Content-Digest` of a body (RFC 9530). */
export const contentDigest = (body: Buffer): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

export type MessageVerifier = (
  request: SignableRequest,
  header: (name: string) => string | null,
) => Promise<Verdict>;

export interface MessageVerifierOptions {
  /** All valid secrets: two while a secret changes. Called for each request. */
  readonly secrets: () => readonly string[];
  readonly now?: () => number;
}

/** The library's check of `created` is not used: ours limits it in both directions, by the given clock. */
const NO_LIMIT_S = 10 ** 10;

/** The counterpart of `signMessage`, over the received bytes. A nonce is remembered only with a valid signature. */
export function createMessageVerifier(options: MessageVerifierOptions): MessageVerifier {
  const { secrets, now = Date.now } = options;
  const seen = new NonceMemory({ keepMs: 2 * TOLERANCE_MS });

  return async (request, header) => {
    const headers: Record<string, string> = {};
    for (const name of MESSAGE_HEADERS) {
      const value = header(name);
      if (value === null) return { ok: false, reason: 'missing' };
      headers[name] = value;
    }
    if (headers['Content-Digest'] !== contentDigest(request.body)) return { ok: false, reason: 'wrong' };
    const signed: { readonly createdMs: number; readonly nonce: string }[] = [];
    const good = await httpbis
      .verifyMessage(
        {
          keyLookup: ({ alg, created, nonce }) => {
            if (alg !== ALGORITHM || !(created instanceof Date) || typeof nonce !== 'string')
              return Promise.resolve(null);
            signed.push({ createdMs: created.getTime(), nonce });
            return Promise.resolve({
              verify: (data, signature) =>
                Promise.resolve(secrets().some((secret) => isSame(hmac(secret, data), signature))),
            });
          },
          requiredFields: [...COMPONENTS],
          requiredParams: ['created', 'nonce'],
          tolerance: NO_LIMIT_S,
          all: true,
        },
        { method: request.method, url: request.url, headers },
      )
      // Unreadable, or without a required part.
      .catch(() => false);
    // Of several signatures the library verifies only the last, so more than one is refused.
    const [only, another] = signed;
    if (good !== true || only === undefined || another !== undefined) return { ok: false, reason: 'wrong' };
    const { createdMs, nonce } = only;
    const nowMs = now();
    if (Math.abs(nowMs - createdMs) > TOLERANCE_MS) return { ok: false, reason: 'old' };
    return seen.add(nonce, nowMs) ? { ok: true } : { ok: false, reason: 'replayed' };
  };
}

const hmac = (key: Key, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest();

const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
