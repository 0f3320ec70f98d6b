import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Scope } from '../scope';

/**
 * The state of a line.
 *
 * - `through`: passes everything on.
 * - `cut`: ends all connections, and closes new ones at once.
 * - `silent`: connections stay open, new ones are accepted, and nothing is passed on (half-open).
 * - `slow`: passes the server's bytes on late. Bytes to the server are not delayed, so the server's clock still shows
 *   when they were sent.
 */
export type LineState = 'through' | 'cut' | 'silent' | 'slow';

/** A proxy between a client and a server, on loopback, whose faults are controlled. */
export interface Line {
  readonly port: number;
  /** A change from `silent` ends the connections, so that bytes dropped meanwhile never arrive later. */
  become(state: LineState): void;
}

const LATE_MS = 400;

/** Reads `to` at each connection, so the line may lead to another server later. */
export async function openLine(scope: Scope, to: { readonly port: number }): Promise<Line> {
  const sockets = new Set<Socket>();
  let state: LineState = 'through';
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = net.createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = net.connect({ host: '127.0.0.1', port: to.port });
    join(near, far);
    join(far, near);
    near.on('data', (bytes) => {
      if (state !== 'silent') far.write(bytes);
    });
    // Keeps the order: bytes that follow delayed bytes are delayed too. Each timer sends the first waiting piece.
    const late: Buffer[] = [];
    far.on('data', (bytes) => {
      if (state === 'silent') return;
      if (state !== 'slow' && late.length === 0) {
        near.write(bytes);
        return;
      }
      late.push(bytes);
      setTimeout(() => near.write(late.shift() ?? ''), LATE_MS);
    });
  });
  const join = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.own(server, async () => {
    endAll();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    become: (next) => {
      if (next === 'cut' || state === 'silent') endAll();
      state = next;
    },
  };
}
