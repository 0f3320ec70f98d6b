import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import { oncePerMinute } from '../../src/codec-server/audit';
import { startCodecServer } from '../../src/codec-server/start';
import type { CodecServer, CodecServerOptions } from '../../src/codec-server/start';
import { fromWire, toWire } from '../../src/codec-server/wire';
import { createPayloadCodec } from '../../src/codec/payload-codec';
import { createLogger } from '../../src/telemetry/logger';
import { freshKeyRing } from '../codec/key-rings';

const TOKEN = 'a-token-of-the-test';
const ENCODE_TOKEN = 'another-token-for-encode';
const UI = 'http://localhost:8233';
const keyRing = freshKeyRing('k1');
const CANARY = 'Ana María 20218346414';
let lines: Record<string, unknown>[] = [];
const logger = createLogger({
  level: 'info',
  destination: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
});

async function start(options: Partial<CodecServerOptions> = {}): Promise<CodecServer> {
  lines = [];
  return startCodecServer({
    ...{ host: '127.0.0.1', port: 0, keyRing, token: TOKEN, origins: [UI], namespace: 'default', logger },
    ...{ encodeToken: ENCODE_TOKEN, namespaces: ['default', 'payments'] },
    ...{ requestsPerMinute: 600, trustedHops: 0, operatorHeader: null },
    ...options,
  });
}

/** Written while the answer is sent, which may be after the test has it. */
async function auditLines(count: number): Promise<Record<string, unknown>[]> {
  while (lines.length < count) await setImmediate();
  return lines;
}

let server: CodecServer;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());
beforeEach(() => {
  lines = [];
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://${server.address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', origin: UI, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function encrypted(value: unknown, namespace = 'default') {
  const [payload] = await createPayloadCodec(keyRing, namespace).encode([
    defaultPayloadConverter.toPayload(value),
  ]);
  return toWire(payload ?? {});
}

async function valueOf(response: Response): Promise<unknown> {
  const { payloads } = (await response.json()) as { payloads: ReturnType<typeof toWire>[] };
  return defaultPayloadConverter.fromPayload(fromWire(payloads[0] ?? {}));
}

test.each([
  ['/decode', {}, 'default'],
  ['/decode', { 'x-namespace': 'payments' }, 'payments'],
  ['/payments/decode', {}, 'payments'],
])('POST %s %j shows what namespace %3$s wrote', async (path, headers, namespace) => {
  const response = await post(path, { payloads: [await encrypted({ name: CANARY }, namespace)] }, headers);
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, UI]);
  expect(await valueOf(response)).toEqual({ name: CANARY });
  expect(await auditLines(1)).toEqual([
    expect.objectContaining({
      ...{ level: 'info', msg: 'payloads decoded', status: 200, turn: 'decode', namespace, payloads: 1 },
      ...{ origin: UI, remote: '127.0.0.1', operator: null, why: null },
    }),
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/Ana|20218346414|a-token/);
});

test('what /encode made, /decode opens; what is not encrypted comes back as it is', async () => {
  const clear = toWire(defaultPayloadConverter.toPayload(CANARY));
  const { payloads } = (await (
    await post('/encode', { payloads: [clear] }, { authorization: `Bearer ${ENCODE_TOKEN}` })
  ).json()) as {
    payloads: unknown[];
  };
  expect(JSON.stringify(payloads)).not.toContain(clear.data);
  expect(await valueOf(await post('/decode', { payloads }))).toBe(CANARY);
  expect(await (await post('/decode', { payloads: [clear] })).json()).toEqual({ payloads: [clear] });
});

test('each token is good for its own path alone', async () => {
  const body = { payloads: [] };
  const encoding = { authorization: `Bearer ${ENCODE_TOKEN}` };
  expect((await post('/encode', body)).status).toBe(401);
  expect((await post('/payments/encode', body)).status).toBe(401);
  expect((await post('/decode', body, encoding)).status).toBe(401);
  expect((await post('/encode', body, encoding)).status).toBe(200);
  // HTTP compares the scheme without case, and the token with it.
  expect((await post('/encode', body, { authorization: `bearer ${ENCODE_TOKEN}` })).status).toBe(200);
});

test('without a token of its own there is no /encode', async () => {
  const decoding = await start({ encodeToken: null });
  try {
    for (const path of ['/encode', '/payments/encode']) {
      const { status } = await fetch(`http://${decoding.address}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: '{"payloads":[]}',
      });
      expect(status).toBe(404);
    }
  } finally {
    await decoding.close();
  }
});

test.each([
  ['/decode', { 'x-namespace': 'salaries' }, 'salaries'],
  ['/salaries/decode', {}, 'salaries'],
  // The path counts.
  ['/salaries/decode', { 'x-namespace': 'payments' }, 'salaries'],
  ['/decode', { 'x-namespace': 'giro/journal/order/4711' }, 'giro/journal/order/4711'],
  ['/encode', { 'x-namespace': 'salaries', authorization: `Bearer ${ENCODE_TOKEN}` }, 'salaries'],
  [
    '/giro%2Fjournal%2Forder%2F4711/encode',
    { authorization: `Bearer ${ENCODE_TOKEN}` },
    'giro/journal/order/4711',
  ],
])('refused: POST %s %j, of a namespace that is not listed', async (path, headers, namespace) => {
  const response = await post(path, { payloads: [await encrypted(CANARY, namespace)] }, headers);
  expect(response.status).toBe(403);
  expect(await response.text()).not.toContain('"payloads":');
  expect(await auditLines(1)).toMatchObject([{ status: 403, why: 'namespace', namespace, payloads: null }]);
});

test('a request that names no namespace is of the default one, which has to be listed too', async () => {
  const other = await start({ namespaces: ['payments'] });
  try {
    const ask = (headers: Record<string, string>) =>
      fetch(`http://${other.address}/decode`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
        body: '{"payloads":[]}',
      }).then(({ status }) => status);
    expect([await ask({}), await ask({ 'x-namespace': 'payments' })]).toEqual([403, 200]);
  } finally {
    await other.close();
  }
});

test.each([
  ['none', { authorization: '' }],
  ['another', { authorization: 'Bearer a-token-of-the-tesT' }],
  ['bare', { authorization: TOKEN }],
])('refused: token %s', async (_, headers) => {
  const response = await post('/decode', { payloads: [] }, headers);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(await auditLines(1)).toMatchObject([
    {
      ...{ level: 'warn', msg: 'request refused', status: 401, why: 'no-token' },
      origin: UI,
      payloads: null,
    },
  ]);
});

test('a page of another origin is given no permission', async () => {
  const ask = (origin: string) =>
    fetch(`http://${server.address}/decode`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
  expect((await ask(UI)).headers.get('access-control-allow-origin')).toBe(UI);
  expect((await ask('http://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
});

test('a page of another origin is not served, even where a gateway adds the token', async () => {
  const response = await post(
    '/decode',
    { payloads: [await encrypted(CANARY)] },
    { origin: 'http://evil.example' },
  );
  expect(response.status).toBe(403);
  expect(await response.text()).not.toContain('payloads');
  expect(await auditLines(1)).toMatchObject([{ status: 403, why: 'origin', origin: 'http://evil.example' }]);
});

test('a page of the list may send the cookies of a gateway, and no other may', async () => {
  const ask = async (origin: string) => {
    const { headers } = await fetch(`http://${server.address}/decode`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    return ['origin', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`));
  };
  expect(await ask(UI)).toEqual([UI, 'true']);
  expect((await ask('http://evil.example'))[0]).toBeNull();
  const { headers } = await post('/decode', { payloads: [] });
  expect(headers.get('access-control-allow-credentials')).toBe('true');
});

test.each<[string, () => unknown, number, string, string]>([
  ['no JSON', () => `{"payloads": ${CANARY}`, 400, 'the body is not JSON', 'not-json'],
  ['no payloads', () => ({}), 400, 'the body is not {"payloads"', 'not-payloads'],
  ['no base64', () => ({ payloads: [{ data: CANARY }] }), 400, 'the body is not {"payloads"', 'not-payloads'],
  [
    'too many',
    () => ({ payloads: Array.from({ length: 1001 }, () => ({})) }),
    400,
    'the body is not {"payloads"',
    'not-payloads',
  ],
  ['too large', () => 'x'.repeat(4 * 1024 * 1024 + 1), 413, 'larger than 4194304 bytes', 'too-large'],
  [
    'another namespace',
    async () => ({ payloads: [await encrypted(1, 'other')] }),
    422,
    'does not open with key k1',
    'altered',
  ],
  [
    'a key it lacks',
    async () => {
      const [one] = await createPayloadCodec(freshKeyRing('k7'), 'default').encode([
        defaultPayloadConverter.toPayload(1),
      ]);
      return { payloads: [toWire(one ?? {})] };
    },
    422,
    'no key k7 in the key ring',
    'unknown-key',
  ],
])('refused: %s, and the log says who asked', async (_, body, status, message, why) => {
  const response = await post('/decode', await body());
  const { message: text } = (await response.json()) as { message: string };
  expect([response.status, text]).toEqual([status, expect.stringContaining(message)]);
  expect(await auditLines(1)).toMatchObject([
    { ...{ msg: 'request refused', turn: 'decode', namespace: 'default' }, status, why, remote: '127.0.0.1' },
  ]);
  expect(text + JSON.stringify(lines)).not.toMatch(/Ana|20218346414/);
});

test('wrong type, wrong path, wrong method', async () => {
  expect((await post('/decode', 'x', { 'content-type': 'text/html' })).status).toBe(415);
  expect((await post(`/keys-${CANARY}`, {})).status).toBe(404);
  expect((await fetch(`http://${server.address}/decode`)).status).toBe(404);
  expect((await fetch(`http://${server.address}/%zz`)).status).toBe(400);
  expect((await fetch(`http://${server.address}/healthz`)).status).toBe(200);
  const told = await auditLines(4);
  expect(told.map(({ status, why }) => [status, why])).toEqual([
    [415, 'not-json'],
    [404, 'not-found'],
    [404, 'not-found'],
    [400, 'unreadable-path'],
  ]);
  expect(JSON.stringify(told)).not.toContain('keys-');
});

test('guesses are slowed down', async () => {
  const slow = await start({ requestsPerMinute: 3 });
  try {
    const guess = async () =>
      (
        await fetch(`http://${slow.address}/decode`, {
          method: 'POST',
          headers: { authorization: 'Bearer x' },
        })
      ).status;
    const statuses = [await guess(), await guess(), await guess(), await guess()];
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await auditLines(4)).map(({ why }) => why)).toEqual([
      ...['no-token', 'no-token', 'no-token', 'too-many'],
    ]);
  } finally {
    await slow.close();
  }
});

test('guesses at paths are slowed down too, and those that are too many are one line', async () => {
  const slow = await start({ requestsPerMinute: 2 });
  try {
    const statuses: number[] = [];
    for (const path of ['/a', '/b', '/c', '/decode/d', '/healthz', '/e']) {
      statuses.push((await fetch(`http://${slow.address}${path}`)).status);
    }
    expect(statuses).toEqual([404, 404, 429, 429, 200, 429]);
    expect((await auditLines(3)).map(({ why }) => why)).toEqual(['not-found', 'not-found', 'too-many']);
  } finally {
    await slow.close();
  }
  expect(lines).toHaveLength(3);
});

test('an address is logged again in the next minute, another one at once', () => {
  let ms = 0;
  const isFirst = oncePerMinute(() => ms);
  expect([isFirst('192.0.2.1'), isFirst('192.0.2.1'), isFirst('192.0.2.2')]).toEqual([true, false, true]);
  ms = 60_000;
  expect([isFirst('192.0.2.1'), isFirst('192.0.2.1')]).toEqual([true, false]);
  for (let i = 0; i < 10_000; i += 1) isFirst(`address ${i}`);
  expect(isFirst('192.0.2.1')).toBe(true);
});

describe('behind a gateway', () => {
  const ask = (address: string, headers: Record<string, string>) =>
    fetch(`http://${address}/decode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"payloads":[]}',
    }).then(({ status }) => status);
  const authorization = `Bearer ${TOKEN}`;

  test('each person is distinguished, and has a rate limit of his own', async () => {
    const behind = await start({ requestsPerMinute: 2, trustedHops: 1, operatorHeader: 'X-Forwarded-User' });
    try {
      const from = (address: string, user: string) =>
        ask(behind.address, { authorization, 'x-forwarded-for': address, 'x-forwarded-user': user });
      const statuses = [
        await from('192.0.2.1', 'ana'),
        await from('192.0.2.1', `  an\ta ${'x'.repeat(500)}`),
        await from('192.0.2.1', 'ana'),
        await from('192.0.2.2', 'luz'),
      ];
      expect(statuses).toEqual([200, 200, 429, 200]);
      expect((await auditLines(4)).map(({ remote, operator }) => [remote, operator])).toEqual([
        ['192.0.2.1', 'ana'],
        ['192.0.2.1', `ana ${'x'.repeat(196)}`],
        ['192.0.2.1', null],
        ['192.0.2.2', 'luz'],
      ]);
    } finally {
      await behind.close();
    }
  });

  test('without the setting nobody names an address or a person', async () => {
    expect(await ask(server.address, { authorization, 'x-forwarded-for': '192.0.2.1' })).toBe(200);
    expect(await auditLines(1)).toMatchObject([{ remote: '127.0.0.1', operator: null }]);
  });

  test('a name without the token is nobody', async () => {
    const behind = await start({ operatorHeader: 'x-forwarded-user' });
    try {
      expect(await ask(behind.address, { 'x-forwarded-user': 'ana' })).toBe(401);
      expect(await auditLines(1)).toMatchObject([{ status: 401, operator: null }]);
    } finally {
      await behind.close();
    }
  });
});

test('a connection that sends nothing does not keep the server from ending', async () => {
  const closing = await start();
  const [host = '', port] = closing.address.split(':');
  const socket = connect(Number(port), host);
  socket.resume().on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  await closing.close();
  await ended;
});
