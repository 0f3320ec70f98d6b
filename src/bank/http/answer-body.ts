import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { ANSWER_BYTES_MAX } from './http-outcome';
import type { ResponseHead } from './http-outcome';
import { parseJson } from './json';

/** The body of a complete answer, read strictly: anything that is not surely JSON in UTF-8 is `unreadable`. */
export type AnswerBody =
  | { readonly kind: 'json'; readonly value: unknown }
  /** No bytes, and not declared to be an HTML page. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable' }
  /** Decoded, it is larger than `ANSWER_BYTES_MAX`. */
  | { readonly kind: 'too-large' };

const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

export function readAnswerBody(
  head: Pick<ResponseHead, 'contentType' | 'contentEncoding'>,
  wireBytes: Uint8Array,
): AnswerBody {
  const bytes = decode(head.contentEncoding, wireBytes);
  if (bytes === 'too-large') return { kind: 'too-large' };
  if (bytes === null || !CHARSETS.has(charsetOf(head.contentType))) return { kind: 'unreadable' };
  if (bytes.length === 0) return { kind: isPage(head.contentType) ? 'unreadable' : 'empty' };
  const text = utf8(bytes);
  const json = text === null ? { ok: false as const } : parseJson(text);
  return json.ok ? { kind: 'json', value: json.value } : { kind: 'unreadable' };
}

/** SHA-256 (hex) of an answer's bytes as received: the stored evidence of the answer. */
export const evidenceOf = (wireBytes: Uint8Array): string =>
  createHash('sha256').update(wireBytes).digest('hex');

/** Giro asks for `identity`, but also reads compressed answers of gateways, within the size limit (no gzip bombs). */
function decode(encoding: string | null, bytes: Uint8Array): Uint8Array | 'too-large' | null {
  const limit = { maxOutputLength: ANSWER_BYTES_MAX };
  if (bytes.length > ANSWER_BYTES_MAX) return 'too-large';
  try {
    switch ((encoding ?? '').trim().toLowerCase()) {
      case '':
      case 'identity':
        return bytes;
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes, limit);
      case 'deflate':
        return inflateSync(bytes, limit);
      case 'br':
        return brotliDecompressSync(bytes, limit);
      default:
        return null;
    }
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
    return code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : null;
  }
}

const charsetOf = (contentType: string | null): string =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8';

const isPage = (contentType: string | null): boolean =>
  /^\s*(text\/html|application\/xhtml)/i.test(contentType ?? '');

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
