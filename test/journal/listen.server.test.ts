import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { listenForNotifications } from '../../src/journal/listen';
import { openTestJournal } from './support/open-test-journal';

/** A line to PostgreSQL whose far end can vanish: then nothing is passed on, and a close is not answered. */
async function openVanishingLine(to: number) {
  const sockets: Socket[] = [];
  let hasVanished = false;
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect({ host: '127.0.0.1', port: to });
    sockets.push(near, far);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (bytes) => {
        if (!hasVanished) into.write(bytes);
      });
      from.on('end', () => {
        if (!hasVanished) into.end();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    vanish: () => {
      hasVanished = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('a listener whose server has vanished closes nevertheless: it does not hold up the end of its process', async () => {
  const db = await openTestJournal();
  const url = new URL(db.url);
  const line = await openVanishingLine(Number(url.port));
  url.port = String(line.port);
  let wake = (): void => undefined;
  const isListening = new Promise<void>((resolve) => (wake = resolve));
  const listener = listenForNotifications(url.href, () => wake());
  await isListening;
  line.vanish();
  const startedAt = performance.now();
  await Promise.race([listener.close(), new Promise((resolve) => setTimeout(resolve, 20_000))]);
  const tookMs = performance.now() - startedAt;
  line.close();
  await db.close();
  expect(tookMs).toBeLessThan(10_000);
});
