import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../telemetry/logger';

/** The fields of a request's log line besides its status; filled in while the request is served. */
export interface AuditNotes {
  /** null: neither `/decode` nor `/encode`. */
  turn: 'decode' | 'encode' | null;
  namespace: string | null;
  /** The person's name from the gateway; null: no header is configured, it was not sent, or the token was wrong. */
  operator: string | null;
  /** Number of payloads; null: the body was not read. */
  payloads: number | null;
  /** Why the request was refused; null: it was served. */
  why: string | null;
}

export const newNotes = (): AuditNotes => ({
  ...{ turn: null, namespace: null, operator: null, payloads: null, why: null },
});

const WORD_MAX_LENGTH = 200;

/** Foreign text made safe for one log line: printable ASCII, cut to a maximum; null: nothing is left. */
export function wordOf(value: string | readonly string[] | undefined): string | null {
  const text = typeof value === 'string' ? value : (value?.[0] ?? '');
  const printable = text
    .slice(0, 4 * WORD_MAX_LENGTH)
    .replace(/[^\x20-\x7e]/g, '')
    .trim();
  return printable === '' ? null : printable.slice(0, WORD_MAX_LENGTH);
}

const PAST = { decode: 'decoded', encode: 'encoded' } as const;

/** Logs a request, served or refused; never a payload, a token or a path. */
export function writeAuditLine(
  logger: Logger,
  notes: AuditNotes,
  { headers, ip }: FastifyRequest,
  { statusCode }: FastifyReply,
): void {
  const line = { status: statusCode, remote: ip, origin: wordOf(headers.origin), ...notes };
  if (statusCode < 400 && notes.turn !== null) logger.info(line, `payloads ${PAST[notes.turn]}`);
  else logger.warn(line, 'request refused');
}

const MINUTE_MS = 60_000;
/** Maximum number of remembered addresses, so that a flood of them cannot fill the memory. */
const ADDRESSES_MAX = 10_000;

/**
 * Whether an address is seen for the first time in this minute. After 10,000 addresses the next minute begins early.
 */
export function oncePerMinute(now: () => number = () => performance.now()): (address: string) => boolean {
  const seen = new Set<string>();
  let sinceMs = now();
  return (address) => {
    if (now() - sinceMs >= MINUTE_MS || seen.size >= ADDRESSES_MAX) {
      seen.clear();
      sinceMs = now();
    }
    if (seen.has(address)) return false;
    seen.add(address);
    return true;
  };
}
