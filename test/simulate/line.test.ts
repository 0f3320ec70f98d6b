import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { openLine } from '../../dev/simulate/line';
import { Scope } from '../../dev/scope';

const scope = new Scope();
afterAll(() => scope.release());

/** A server that says everything again. */
async function echoServer(): Promise<{ port: number; heard: () => string }> {
  let heard = '';
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.own(server, (it) => void it.close());
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

async function connected(port: number): Promise<Socket> {
  const socket = net.connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const answerTo = async (socket: Socket, text: string): Promise<string> => {
  const said = once(socket, 'data');
  socket.write(text);
  return String((await said)[0]);
};

test('through: both ways', async () => {
  const { port } = await openLine(scope, await echoServer());
  expect(await answerTo(await connected(port), 'hello')).toBe('hello');
});

test('cut: connections end, new ones too, until it is restored', async () => {
  const line = await openLine(scope, await echoServer());
  const before = await connected(line.port);
  expect(await answerTo(before, 'hello')).toBe('hello');
  const ended = once(before, 'close');
  line.become('cut');
  await ended;
  const during = await connected(line.port);
  await once(during, 'close');
  line.become('through');
  expect(await answerTo(await connected(line.port), 'again')).toBe('again');
});

test('silent: connections stay and nothing passes; once restored, they end and what they swallowed is lost', async () => {
  const server = await echoServer();
  const line = await openLine(scope, server);
  const socket = await connected(line.port);
  expect(await answerTo(socket, 'hello')).toBe('hello');
  line.become('silent');
  socket.write('lost');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(socket.destroyed).toBe(false);
  const ended = once(socket, 'close');
  line.become('through');
  await ended;
  expect(await answerTo(await connected(line.port), ' again')).toBe(' again');
  expect(server.heard()).toBe('hello again');
});

test('slow: requests arrive at once, answers late and in order', async () => {
  const server = await echoServer();
  const line = await openLine(scope, server);
  const socket = await connected(line.port);
  line.become('slow');
  const startMs = performance.now();
  const first = await answerTo(socket, 'first ');
  expect(first).toBe('first ');
  expect(performance.now() - startMs).toBeGreaterThan(300);
  socket.write('second ');
  while (server.heard() !== 'first second ') await new Promise((resolve) => setTimeout(resolve, 5));
  line.become('through');
  socket.write('third');
  let told = '';
  for (;;) {
    told += String((await once(socket, 'data'))[0]);
    if (told.length >= 'second third'.length) break;
  }
  expect(told).toBe('second third');
});
