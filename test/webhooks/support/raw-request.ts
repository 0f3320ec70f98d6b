import { connect } from 'node:net';

/**
 * Writes raw bytes to a port on loopback, piece by piece, and returns the status of the answer; null: the connection
 * ended without an answer. `hangUp`: ends after the last piece.
 */
export function rawRequest(
  port: number,
  pieces: readonly (string | Buffer)[],
  { hangUp = false, pauseMs = 0 }: { readonly hangUp?: boolean; readonly pauseMs?: number } = {},
): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const finish = (): void => {
      socket.destroy();
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer) ?? [];
      resolve(status === undefined ? null : Number(status));
    };
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n\r\n')) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
    socket.once('connect', () => {
      void (async () => {
        for (const piece of pieces) {
          if (socket.destroyed) return;
          socket.write(piece);
          if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs));
        }
        if (hangUp) socket.end();
      })();
    });
  });
}

export interface RawPost {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

/** The bytes of a request with the correct length. */
export function requestBytes({ method = 'POST', path, headers = [], body = '' }: RawPost): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: giro.example',
    `Content-Length: ${bytes.length}`,
    ...headers,
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}
