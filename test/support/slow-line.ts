import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A line to a server whose answers arrive late. */
export interface SlowLine {
  /** host:port, on loopback. */
  readonly address: string;
  /** How long answers that leave the server from now on are on their way, in ms; at first 0. */
  delay(ms: number): void;
  /** Ends the connections too. */
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
    // Bytes keep their order when the delay shrinks.
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
