import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A connection to a server that delays the server's answers. */
export interface SlowLine {
  /** host:port, on loopback. */
  readonly address: string;
  /** Sets the delay of answers from now on, in ms; initially 0. */
  delay(ms: number): void;
  /** Closes the listener and all connections. */
  close(): Promise<void>;
}

/** `target`: host:port. */
export async function openSlowLine(target: string): Promise<SlowLine> {
  const [host, port] = target.split(':');
  const sockets = new Set<Socket>();
  let delayMs = 0;
  const server = net.createServer((near) => {
    const far = net.connect({ host: host!, port: Number(port) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far);
    // The order of bytes stays when the delay shrinks.
    let arrivesAtMs = 0;
    far.on('data', (bytes) => {
      arrivesAtMs = Math.max(arrivesAtMs, performance.now() + delayMs);
      setTimeout(() => near.write(bytes), arrivesAtMs - performance.now());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay: (ms) => {
      delayMs = ms;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
