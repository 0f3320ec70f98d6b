import type { Server, Socket } from 'node:net';

/**
 * The TCP connections of a server. A TLS socket can neither send a reset nor is it known to the HTTP server before its
 * handshake, so the sockets underneath are kept, by the peer's address and port.
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
