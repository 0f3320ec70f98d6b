import type { ConnectionStage } from './connection-stage';
import type { TransportFailure } from './http-outcome';

/** What a failed exchange is judged by. */
export interface FailureFacts {
  readonly stage: ConnectionStage;
  /** The deadline of the whole call has passed. */
  readonly timedOut: boolean;
  /** The answer grew beyond `ANSWER_BYTES_MAX`. */
  readonly tooLarge: boolean;
  /** Code of the Node error (`ECONNRESET`, `ERR_TLS_…`, `HPE_…`); null when there is none. */
  readonly code: string | null;
}

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);

/** Names the failure. It is for people and flags; whether a request may be sent again is `maybeWritten`'s to say. */
export function nameFailure({ stage, timedOut, tooLarge, code }: FailureFacts): TransportFailure {
  if (tooLarge) return 'TOO_LARGE';
  if (timedOut || code === 'ETIMEDOUT') return 'TIMEOUT';
  if (code === 'ECONNREFUSED') return 'CONNECTION_REFUSED';
  if (code === 'ENOTFOUND' || code?.startsWith('EAI_') === true) return 'NAME_LOOKUP';
  // Before the handshake is done every end is one of TLS: a certificate we refuse, an alert, a closed socket.
  if (
    stage === 'securing' ||
    code?.startsWith('ERR_SSL_') === true ||
    code?.startsWith('ERR_TLS_') === true
  ) {
    return 'TLS';
  }
  if (code !== null && UNREACHABLE_CODES.has(code)) return 'UNREACHABLE';
  // llhttp's codes: what came is not HTTP.
  if (code?.startsWith('HPE_') === true) return 'UNREADABLE';
  return stage === 'writable' ? 'CONNECTION_LOST' : 'UNREACHABLE';
}

export const maybeWritten = (stage: ConnectionStage): boolean => stage === 'writable';
