import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Socket } from 'node:net';

export interface ConnectionBounds {
  readonly max: number;
  /** Null: all connections come from one proxy, which limits sources itself. */
  readonly perSourceMax: number | null;
}

/**
 * Limits the connections of a server, in total and for each source, so that one source cannot keep others out. At the
 * total limit Node refuses a new connection; all idle ones are then closed, to make room for the next.
 */
export function boundConnections(server: Server, { max, perSourceMax }: ConnectionBounds): void {
  server.maxConnections = max;
  server.on('drop', () => server.closeIdleConnections());
  if (perSourceMax === null) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const source = sourceOf(socket.remoteAddress ?? '');
    const count = (open.get(source) ?? 0) + 1;
    if (count > perSourceMax) {
      socket.destroy();
      return;
    }
    open.set(source, count);
    socket.once('close', () => {
      const left = (open.get(source) ?? 1) - 1;
      if (left === 0) open.delete(source);
      else open.set(source, left);
    });
  });
}

/** The owner of one IPv6 address has its entire /64 network. */
export function sourceOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail ?? '')]
    .slice(0, 4)
    .join(':');
}
