import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How far a request got. Up to `securing` surely no byte of it was written; from `writable` on, any of it may have
 * reached the bank.
 */
export type ConnectionStage = 'waiting' | 'connecting' | 'securing' | 'writable';

/**
 * Follows a request from its socket's events and returns a reader of its stage.
 *
 * Node emits a request's `socket` event before the first byte is written, and holds what is written back until the
 * connection is there and, under TLS, the handshake is done and the bank's certificate has been accepted. With TLS
 * 1.3 `secureConnect` says nothing about *our* certificate: the bank may refuse it after the request was written.
 * A socket that is not seen to connect (a kept-alive one) counts as writable: in doubt, it may have been written.
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
