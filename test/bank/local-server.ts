import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';

/** A server on a free loopback port; `close` ends its connections too. */
export interface LocalServer {
  readonly baseUrl: string;
  readonly port: number;
  /** Connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function serve(server: net.Server): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** An HTTPS server that passes each complete request to `answer`. */
export function httpsServer(
  options: https.ServerOptions,
  answer: (request: Arrived, response: ServerResponse) => void,
): https.Server {
  return https.createServer(options, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      answer({ method, url, headers, rawHeaders, body: Buffer.concat(chunks) }, response);
    });
  });
}

/** A TLS server below HTTP: `onRequest` runs when the first bytes of a request have arrived. */
export function rawTlsServer(
  options: tls.TlsOptions,
  onRequest: (socket: tls.TLSSocket) => void,
): tls.Server {
  return tls.createServer(options, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onRequest(socket));
  });
}

export function tcpServer(onConnection: (socket: Socket) => void): net.Server {
  return net.createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
}

/** A port on which nothing listens. */
export async function deadPort(): Promise<number> {
  const server = await serve(net.createServer());
  await server.close();
  return server.port;
}
