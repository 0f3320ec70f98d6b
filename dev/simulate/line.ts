import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Scope } from '../scope';

/**
 * `through`: as it is. `cut`: connections end, no new ones. `silent`: they stay open and nothing passes (half-open), new
 * ones are taken and answered by nobody. `slow`: what the server says arrives late; what is said to it does not, so that
 * the server's clock still tells when it was said.
 */
export type LineState = 'through' | 'cut' | 'silent' | 'slow';

/** A proxy between a client and a server, on loopback, whose faults are controlled. */
export interface Line {
  readonly port: number;
  /** Mended (`through`), connections that were silent end: nothing of what they swallowed arrives later. */
  become(state: LineState): void;
}

const LATE_MS = 400;

/** `to` is read at each connection: a line may lead to another server later. */
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
    // Bytes keep their order: what follows late ones is late too, and each timer lets the first of them through.
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
