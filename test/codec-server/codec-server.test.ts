import { defaultPayloadConverter } from '@temporalio/common';
import { startCodecServer } from '../../src/codec-server/start';
import type { CodecServer, CodecServerOptions } from '../../src/codec-server/start';
import { fromWire, toWire } from '../../src/codec-server/wire';
import { createPayloadCodec } from '../../src/codec/payload-codec';
import { createLogger } from '../../src/telemetry/logger';
import { freshKeyRing } from '../codec/key-rings';

const TOKEN = 'a-token-of-the-test';
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
    ...options,
  });
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
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'payloads decoded',
      namespace,
      payloads: 1,
      origin: UI,
      remote: '127.0.0.1',
    }),
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/Ana|20218346414|a-token/);
});

test('what /encode made, /decode opens; what is not encrypted comes back as it is', async () => {
  const clear = toWire(defaultPayloadConverter.toPayload(CANARY));
  const { payloads } = (await (await post('/encode', { payloads: [clear] })).json()) as {
    payloads: unknown[];
  };
  expect(JSON.stringify(payloads)).not.toContain(clear.data);
  expect(await valueOf(await post('/decode', { payloads }))).toBe(CANARY);
  expect(await (await post('/decode', { payloads: [clear] })).json()).toEqual({ payloads: [clear] });
});

test.each([
  ['none', { authorization: '' }],
  ['another', { authorization: 'Bearer a-token-of-the-tesT' }],
  ['bare', { authorization: TOKEN }],
])('refused: token %s', async (_, headers) => {
  const response = await post('/decode', { payloads: [] }, headers);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(lines).toMatchObject([{ level: 'warn', msg: 'payloads refused: no or a wrong token' }]);
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

test.each<[string, () => unknown, number, string]>([
  ['no JSON', () => `{"payloads": ${CANARY}`, 400, 'the body is not JSON'],
  ['no payloads', () => ({}), 400, 'the body is not {"payloads"'],
  ['no base64', () => ({ payloads: [{ data: CANARY }] }), 400, 'the body is not {"payloads"'],
  [
    'too many',
    () => ({ payloads: Array.from({ length: 1001 }, () => ({})) }),
    400,
    'the body is not {"payloads"',
  ],
  ['too large', () => 'x'.repeat(4 * 1024 * 1024 + 1), 413, 'larger than 4194304 bytes'],
  [
    'another namespace',
    async () => ({ payloads: [await encrypted(1, 'other')] }),
    422,
    'does not open with key k1',
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
  ],
])('refused: %s', async (_, body, status, message) => {
  const response = await post('/decode', await body());
  const { message: text } = (await response.json()) as { message: string };
  expect([response.status, text]).toEqual([status, expect.stringContaining(message)]);
  expect(text + JSON.stringify(lines)).not.toMatch(/Ana|20218346414/);
});

test('wrong type, wrong path, wrong method', async () => {
  expect((await post('/decode', 'x', { 'content-type': 'text/html' })).status).toBe(415);
  expect((await post('/keys', {})).status).toBe(404);
  expect((await fetch(`http://${server.address}/decode`)).status).toBe(404);
  expect((await fetch(`http://${server.address}/healthz`)).status).toBe(200);
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
  } finally {
    await slow.close();
  }
});
