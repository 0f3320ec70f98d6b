import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
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
    ...{ maxRps: null, trustedHops: 0, tls: null, problems: () => [] },
    metrics: () => Promise.resolve({ text: '', contentType: 'text/plain' }),
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

test('a request under way is answered while the receiver drains, a new one is not taken', async () => {
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
}, 20_000);

test('health has a rate of its own: a flood of deliveries does not make the receiver look dead, nor the other way round', async () => {
  const { port, post } = await serve({ maxRps: 3 });
  const health = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
  expect(await repeated(20, () => post())).toContain(429);
  expect(await health()).toBe(200);
  const answers = await Promise.all(Array.from({ length: 60 }, health));
  expect(new Set(answers)).toEqual(new Set([200, 429]));
});

test('readiness tells why not; liveness does not', async () => {
  const { port } = await serve({ problems: () => ['the journal cannot be reached', 'draining'] });
  const [ready, alive] = await Promise.all(
    ['readyz', 'healthz'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)),
  );
  expect([ready?.status, await ready?.text(), alive?.status]).toEqual([
    503,
    'not ready: the journal cannot be reached, draining\n',
    200,
  ]);
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
