import type { TransportFailure } from './http-outcome';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How far a request got. Up to `securing`, surely no byte of the request was written. From `writable` on, any part of
 * the request may have reached the bank.
 */
export type ConnectionStage = 'waiting' | 'connecting' | 'securing' | 'writable';

/**
 * Follows a request from its socket's events and returns a reader of its stage.
 *
 * Node.js emits a request's `socket` event before the first byte is written. Node.js holds written bytes back until the
 * connection is made and, under TLS, the handshake is done and the bank's certificate is accepted. Under TLS 1.3,
 * `secureConnect` says nothing about *our* certificate: the bank may refuse it after the request was written. A socket
 * that is not seen to connect, such as a kept-alive one, counts as writable: in doubt, the request may have been
 * written.
 */
export function followConnection(
  request: ClientRequest,
  options: { readonly tls: boolean },
): () => ConnectionStage {
  let stage: ConnectionStage = 'waiting';
  request.once('socket', (socket: Socket) => {
    if (socket.destroyed) return;
    if (!socket.connecting) {
      stage = 'writable';
      return;
    }
    stage = 'connecting';
    socket.once('connect', () => (stage = options.tls ? 'securing' : 'writable'));
    if (options.tls) socket.once('secureConnect', () => (stage = 'writable'));
  });
  return () => stage;
}

/** The facts by which a failed exchange is classified. */
export interface FailureFacts {
  readonly stage: ConnectionStage;
  /** The deadline of the call has passed. */
  readonly timedOut: boolean;
  /** The answer grew beyond `ANSWER_BYTES_MAX`. */
  readonly tooLarge: boolean;
  /** Code of the Node error (`ECONNRESET`, `ERR_TLS_…`, `HPE_…`); null: no code. */
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

/** Names the failure, for people and flags. `maybeWritten` alone decides whether a request may be sent again. */
export function nameFailure({ stage, timedOut, tooLarge, code }: FailureFacts): TransportFailure {
  if (tooLarge) return 'TOO_LARGE';
  if (timedOut || code === 'ETIMEDOUT') return 'TIMEOUT';
  if (code === 'ECONNREFUSED') return 'CONNECTION_REFUSED';
  if (code === 'ENOTFOUND' || code?.startsWith('EAI_') === true) return 'NAME_LOOKUP';
  // Until the handshake is done, every failure is a failure of TLS: a refused certificate, an alert, a closed socket.
  if (
    stage === 'securing' ||
    code?.startsWith('ERR_SSL_') === true ||
    code?.startsWith('ERR_TLS_') === true
  ) {
    return 'TLS';
  }
  if (code !== null && UNREACHABLE_CODES.has(code)) return 'UNREACHABLE';
  // Codes of llhttp: the answer is not HTTP.
  if (code?.startsWith('HPE_') === true) return 'UNREADABLE';
  return stage === 'writable' ? 'CONNECTION_LOST' : 'UNREACHABLE';
}

export const maybeWritten = (stage: ConnectionStage): boolean => stage === 'writable';
