import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sourceOf } from '../../src/webhooks/bound-connections';
import { createReceiverApp, renewTls } from '../../src/webhooks/receiver-app';
import type { ReceiverAppOptions } from '../../src/webhooks/receiver-app';
import type { Delivery } from '../../src/webhooks/verify';
import { makeAuthority, makeServerCertificate } from '../bank/certificates';
import { rawRequest, requestBytes } from './support/raw-request';

const SECRET = 'path-secret-of-a-test';
const PATH = `/webhooks/${SECRET}`;

const open: FastifyInstance[] = [];
afterEach(async () => {
  for (let app = open.pop(); app !== undefined; app = open.pop()) await app.close();
});

async function serve(options: Partial<ReceiverAppOptions> = {}) {
  const taken: Delivery[] = [];
  const app = await createReceiverApp({
    pathSecrets: () => [SECRET],
    accept: (delivery) => {
      taken.push(delivery);
      return Promise.resolve('stored');
    },
    ...{ maxRps: null, trustedHops: 0, tls: null },
    ...{ onAnswered: () => undefined, onError: () => undefined },
    ...options,
  });
  open.push(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const post = (...headers: string[]) =>
    rawRequest(port, [requestBytes({ path: PATH, headers, body: '{}' })]);
  return { app, port, taken, post };
}

const repeated = async (times: number, post: () => Promise<number | null>) => {
  const statuses: (number | null)[] = [];
  for (let i = 0; i < times; i += 1) statuses.push(await post());
  return statuses;
};

describe('the rate of one source', () => {
  test('behind a trusted proxy the source is what the proxy says: one that is too fast holds up no other', async () => {
    const { post, taken } = await serve({ maxRps: 3, trustedHops: 1 });
    const fast = await repeated(20, () => post('X-Forwarded-For: 192.0.2.1'));
    expect(fast.slice(0, 3)).toEqual([200, 200, 200]);
    expect(fast).toContain(429);
    expect(taken).toHaveLength(fast.filter((status) => status === 200).length);
    expect(await post('X-Forwarded-For: 192.0.2.2')).toBe(200);
  });

  test('a sender before the proxy cannot name another source', async () => {
    const { post } = await serve({ maxRps: 3, trustedHops: 1 });
    // The proxy adds what it saw at the end.
    let n = 0;
    expect(await repeated(20, () => post(`X-Forwarded-For: 198.51.100.${n++}, 192.0.2.1`))).toContain(429);
  });

  test('without a trusted proxy the header is not believed', async () => {
    const { post } = await serve({ maxRps: 3, trustedHops: 0 });
    let n = 0;
    expect(await repeated(20, () => post(`X-Forwarded-For: 192.0.2.${n++}`))).toContain(429);
  });

  test('guesses of the path count, too', async () => {
    const { port } = await serve({ maxRps: 3 });
    const guess = () => rawRequest(port, [requestBytes({ path: '/webhooks/guess', body: '{}' })]);
    expect(await repeated(20, guess)).toContain(429);
  });
});

test('what a signature may cover is as it came: method, path, query, the forwarded scheme and host', async () => {
  const { port, taken } = await serve({ trustedHops: 1 });
  await rawRequest(port, [
    requestBytes({
      path: `${PATH}?a=%2F&b`,
      headers: ['X-Forwarded-Proto: https', 'X-Forwarded-Host: pagos.example', 'X-Twice: 1', 'X-Twice: 2'],
      body: Buffer.from([0xff, 0x00]),
    }),
  ]);
  const [delivery] = taken;
  expect(delivery).toMatchObject({
    ...{ method: 'POST', path: PATH, query: 'a=%2F&b' },
    url: `https://pagos.example${PATH}?a=%2F&b`,
    body: Buffer.from([0xff, 0x00]),
  });
  expect([delivery?.header('host'), delivery?.header('x-twice'), delivery?.header('x-none')]).toEqual([
    'giro.example',
    null,
    null,
  ]);
});

test('a request in flight is answered while the receiver drains, a new one is refused', async () => {
  const { app, port } = await serve();
  const whole = requestBytes({ path: PATH, body: '{"a":1}' });
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const arrived = new Promise<void>((resolve) => app.server.once('request', () => resolve()));
  socket.write(whole.subarray(0, whole.length - 3));
  await arrived;
  const closed = app.close();
  expect(await rawRequest(port, [whole])).not.toBe(200);
  socket.write(whole.subarray(whole.length - 3));
  await closed;
  socket.end();
  await ended;
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['that has sent nothing', 0],
  ['that has sent a part of the headers', 30],
  ['that has sent a part of the body', -3],
])('a connection %s does not keep the receiver from ending', async (_, end) => {
  const { app, port } = await serve({ drainMaxMs: 500 });
  const connected = new Promise<void>((resolve) => app.server.once('connection', () => resolve()));
  const socket = connect(port, '127.0.0.1');
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume().on('error', () => undefined);
  socket.write(requestBytes({ path: PATH, body: '{"a":1}' }).subarray(0, end));
  await connected;
  await app.close();
  await ended;
});

test('over TLS; a renewed certificate is used for connections from then on', async () => {
  const authority = await makeAuthority('receiver-test');
  const [before, after] = [
    await makeServerCertificate(authority, 'loopback'),
    await makeServerCertificate(authority, 'loopback'),
  ];
  const { app, port } = await serve({ tls: { certPem: before.cert, keyPem: before.key } });
  const post = () =>
    new Promise<{ readonly status: number | undefined; readonly certificate: string }>((resolve, reject) => {
      let certificate = '';
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, path: PATH, method: 'POST', ca: authority.cert, agent: new Agent() },
          checkServerIdentity: (_host, { raw }) => {
            certificate = raw.toString('base64');
            return undefined;
          },
        },
        (response) => {
          response.resume();
          resolve({ status: response.statusCode, certificate });
        },
      );
      sent.once('error', reject);
      sent.end('{}');
    });
  const bare = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');
  expect(await post()).toEqual({ status: 200, certificate: bare(before.cert) });
  renewTls(app, { certPem: after.cert, keyPem: after.key });
  expect(await post()).toEqual({ status: 200, certificate: bare(after.cert) });
});

test('who connects and says nothing is cut off, over TLS too', async () => {
  const authority = await makeAuthority('receiver-test');
  const { cert: certPem, key: keyPem } = await makeServerCertificate(authority, 'loopback');
  const [plain, tls] = [await serve(), await serve({ tls: { certPem, keyPem } })];
  const closed = ({ port }: { port: number }, ...bytes: readonly Buffer[]) => {
    const socket = connect(port, '127.0.0.1', () => bytes.forEach((piece) => socket.write(piece)));
    socket.on('error', () => undefined).resume();
    return new Promise<void>((resolve) => socket.once('close', () => resolve()));
  };
  // The last begins a handshake and does not go on.
  await Promise.all([closed(plain), closed(tls), closed(tls, Buffer.of(0x16, 0x03, 0x01, 0x02, 0x00))]);
});

/** From that address of loopback; resolves when the answer, or the end of the connection, is there. */
function hold(port: number, localAddress: string, text: string): Promise<{ socket: Socket; answer: string }> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const end = (answer: string) => resolve({ socket, answer });
    socket.once('data', (chunk: Buffer) => end(chunk.toString('latin1')));
    socket.on('error', () => end(''));
    socket.once('close', () => end(''));
    socket.once('connect', () => socket.write(text));
  });
}

test('health is not served at the address of deliveries', async () => {
  const { port } = await serve();
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404);
});

test('who holds all the connections that there are keeps nobody else out', async () => {
  const { port } = await serve();
  const post = requestBytes({ path: PATH, body: '{}' }).toString('latin1');
  const held: Socket[] = [];
  for (let batch = 0; batch < 11; batch++) {
    const more = await Promise.all(Array.from({ length: 100 }, () => hold(port, '127.0.0.1', post)));
    held.push(...more.map(({ socket }) => socket));
  }
  try {
    expect(held.filter((socket) => !socket.destroyed).length).toBeLessThanOrEqual(128);
    const other = await hold(port, '127.0.0.2', post);
    other.socket.destroy();
    expect(other.answer).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of held) socket.destroy();
  }
});

test('behind a proxy, which is one source, idle connections make room for new ones', async () => {
  const { port } = await serve({ trustedHops: 1 });
  const post = requestBytes({ path: PATH, body: '{}' }).toString('latin1');
  const held: Socket[] = [];
  while (held.length < 1_024) {
    const more = await Promise.all(Array.from({ length: 128 }, () => hold(port, '127.0.0.1', post)));
    held.push(...more.map(({ socket }) => socket));
  }
  try {
    // The first finds no place, and makes one.
    const answers = [await hold(port, '127.0.0.2', post), await hold(port, '127.0.0.2', post)];
    for (const { socket } of answers) socket.destroy();
    expect(answers.at(-1)?.answer).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of held) socket.destroy();
  }
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
])('the source of %s is %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});

test('a bug of ours is answered 503, so that the sender repeats', async () => {
  const errors: Error[] = [];
  const { post } = await serve({
    accept: () => Promise.reject(new Error('bug')),
    onError: (error) => errors.push(error),
  });
  expect(await post()).toBe(503);
  expect(errors).toHaveLength(1);
});
