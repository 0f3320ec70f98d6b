import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { render, uses } from './hmac-template';
import type { HmacTemplate } from './hmac-template';
import { NonceMemory } from './nonce-memory';
import type { SignableRequest } from './signable-request';

/** One scheme of signatures, as the `…_HMAC_*` variables describe it. */
export interface HmacScheme {
  readonly header: string;
  readonly hash: 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** Text before the signature in its header. */
  readonly prefix: string;
  readonly content: HmacTemplate;
  /** Sent only if the content uses it. */
  readonly timestampHeader: string;
  readonly nonceHeader: string;
}

const NONCE_BYTES = 16;

/** The headers that carry the signature of one request; `secret` is used as UTF-8 bytes. */
export function signRequest(
  scheme: HmacScheme,
  secret: string,
  request: SignableRequest,
  {
    timestamp = String(Math.floor(Date.now() / 1000)),
    nonce = randomBytes(NONCE_BYTES).toString('hex'),
  }: { readonly timestamp?: string; readonly nonce?: string } = {},
): Readonly<Record<string, string>> {
  const content = render(scheme.content, request, { timestamp, nonce });
  return {
    [scheme.header]: scheme.prefix + digest(scheme, secret, content),
    ...(uses(scheme.content, 'timestamp') ? { [scheme.timestampHeader]: timestamp } : {}),
    ...(uses(scheme.content, 'nonce') ? { [scheme.nonceHeader]: nonce } : {}),
  };
}

export type Verdict =
  { readonly ok: true } | { readonly ok: false; readonly reason: 'missing' | 'wrong' | 'old' | 'replayed' };

/** Verifies requests. Remembers nonces, so each endpoint keeps one verifier. */
export type HmacVerifier = (request: SignableRequest, header: (name: string) => string | null) => Verdict;

export interface VerifierOptions {
  readonly scheme: HmacScheme;
  /** All valid secrets: two while a secret changes. Called for each request. */
  readonly secrets: () => readonly string[];
  readonly now?: () => number;
}

/** A timestamp that differs more than this from our clock counts as `old`. */
export const TOLERANCE_MS = 300_000;
const NONCE_MAX_LENGTH = 200;

/**
 * The counterpart of `signRequest`, over the received bytes. A nonce is remembered only with a valid signature, so that
 * nobody else can use it up. Without a timestamp in the content, nonces are remembered as long as space permits.
 */
export function createHmacVerifier(options: VerifierOptions): HmacVerifier {
  const { scheme, secrets, now = Date.now } = options;
  const isTimed = uses(scheme.content, 'timestamp');
  const hasNonce = uses(scheme.content, 'nonce');
  const seen = new NonceMemory({ keepMs: isTimed ? 2 * TOLERANCE_MS : Infinity });

  return (request, header) => {
    const signature = header(scheme.header);
    const timestamp = isTimed ? header(scheme.timestampHeader) : '';
    const nonce = hasNonce ? header(scheme.nonceHeader) : '';
    if (signature === null || timestamp === null || nonce === null) return { ok: false, reason: 'missing' };
    if (nonce.length > NONCE_MAX_LENGTH) return { ok: false, reason: 'wrong' };
    const content = render(scheme.content, request, { timestamp, nonce });
    const isGood = secrets().map((secret) =>
      equals(scheme, signature, scheme.prefix + digest(scheme, secret, content)),
    );
    if (!isGood.includes(true)) return { ok: false, reason: 'wrong' };
    const nowMs = now();
    if (isTimed && !isFresh(timestamp, nowMs)) return { ok: false, reason: 'old' };
    if (hasNonce && !seen.add(nonce, nowMs)) return { ok: false, reason: 'replayed' };
    return { ok: true };
  };
}

const digest = ({ hash, encoding }: HmacScheme, secret: string, content: Buffer): string =>
  createHmac(hash, Buffer.from(secret)).update(content).digest(encoding);

/** In constant time for texts of equal length; hex digits count in either case. */
function equals({ encoding, prefix }: HmacScheme, given: string, expected: string): boolean {
  const text =
    encoding === 'hex' && given.startsWith(prefix)
      ? prefix + given.slice(prefix.length).toLowerCase()
      : given;
  const [a, b] = [Buffer.from(text), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const isFresh = (timestamp: string, nowMs: number): boolean =>
  /^[0-9]{1,12}$/.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1000) <= TOLERANCE_MS;
