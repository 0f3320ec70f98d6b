import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Outcome } from '../answers/answer';
import type { RequestLog, RequestRecord } from '../book/request-log';
import type { Server, Socket } from 'node:net';

/** One request while the bank processes it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
}

export interface DeliveryContext {
  readonly log: RequestLog;
  readonly connections: Connections;
  /** Aborted when the bank closes. */
  readonly closing: AbortSignal;
}

/** Ends the connection as the outcome says, and records the end in the log. */
export async function deliver(exchange: Exchange, outcome: Outcome, context: DeliveryContext): Promise<void> {
  const { response, record } = exchange;
  record.outcome = outcome.outcome;
  if (outcome.delayMs > 0) {
    await delay(outcome.delayMs, undefined, { signal: context.closing }).catch(ignoreAbort);
    if (response.destroyed || context.closing.aborted) return;
  }
  record.movementStatus = outcome.movementStatus;
  record.movementId = outcome.movementId;
  perform(outcome.answer, exchange, context);
}

function perform(answer: Answer, { request, response, record }: Exchange, context: DeliveryContext): void {
  switch (answer.kind) {
    case 'respond':
      // Record before sending: whoever reads the books after the answer must find it there.
      context.log.finished(record, answer.httpStatus);
      response.writeHead(answer.httpStatus, {
        ...answer.headers,
        ...lengthHeader(answer.httpStatus, answer.declaredLength ?? answer.body.length),
      });
      if (answer.declaredLength === null) response.end(answer.body);
      else response.write(answer.body, () => request.socket.destroy());
      return;
    case 'hold': {
      const bound = setTimeout(() => {
        context.log.finished(record, null);
        request.socket.destroy();
      }, answer.holdMs);
      response.once('close', () => clearTimeout(bound));
      return;
    }
    case 'close':
      context.log.finished(record, null);
      request.socket.destroy();
      return;
    case 'reset':
      context.log.finished(record, null);
      context.connections.reset(request.socket);
      return;
  }
}

/** An answer that may have no body must have no Content-Length. */
const lengthHeader = (httpStatus: number, length: number) =>
  httpStatus === 204 || httpStatus === 304 ? {} : { 'content-length': length };

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/**
 * The TCP connections of a server. A TLS socket cannot send a reset, and the HTTP server does not know a TLS socket
 * before its handshake. So this class keeps the underlying sockets, by the peer's address and port.
 */
export class Connections {
  private readonly sockets = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.sockets.set(peer, socket);
      socket.once('close', () => this.sockets.delete(peer));
    });
  }

  /** Ends the connection under `socket` with a TCP reset. */
  reset(socket: Socket): void {
    const underlying = this.sockets.get(peerOf(socket));
    if (underlying === undefined) socket.destroy();
    else underlying.resetAndDestroy();
  }

  destroyAll(): void {
    for (const socket of this.sockets.values()) socket.destroy();
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${remotePort ?? 0}`;
