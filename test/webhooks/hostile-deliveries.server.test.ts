import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { rawRequest, requestBytes } from './support/raw-request';
import type { RawPost } from './support/raw-request';
import { startTestHinting } from './support/test-hinting';
import type { TestHinting } from './support/test-hinting';
import { PATH_SECRET, startTestReceiver } from './support/test-receiver';
import type { TestReceiver } from './support/test-receiver';

const KEY = `whsec_${randomBytes(32).toString('base64')}`;
const HMAC_SECRET = randomBytes(16).toString('hex');
const OTHER_KEY = `whsec_${randomBytes(32).toString('base64')}`;
const PATH = `/webhooks/${PATH_SECRET}`;
const CANARY = 'canary-5c1e';
const GOOD = JSON.stringify({ id: 'e1', type: 'NEW_MONEY_MOVEMENT', data: { note: CANARY } });

let database: TestDatabase;
let sql: Client;
let receiver: TestReceiver;
let strict: TestReceiver;
let hmac: TestReceiver;
let hinting: TestHinting;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  receiver = await startTestReceiver(database.url);
  hinting = await startTestHinting(database.url);
  const secretFile = receiver.write('key', `${KEY}\n`);
  strict = await startTestReceiver(database.url, {
    WEBHOOK_VERIFY: 'standard',
    WEBHOOK_SECRET_FILE: secretFile,
  });
  hmac = await startTestReceiver(
    database.url,
    { WEBHOOK_VERIFY: 'hmac' },
    { WEBHOOK_SECRET_FILE: HMAC_SECRET },
  );
});
afterAll(async () => {
  await hinting.stop();
  await hmac.stop();
  await strict.stop();
  await receiver.stop();
  await sql.end();
  await database.drop();
});

async function stored(): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(*)::integer as count from giro.notification',
  );
  return rows[0]?.count ?? 0;
}

function signature(
  body: string | Buffer,
  {
    key = KEY,
    id = 'msg_1',
    atMs = Date.now(),
    signedId,
  }: Partial<Record<'key' | 'id' | 'signedId', string>> & { atMs?: number } = {},
): string[] {
  const at = new Date(atMs);
  return [
    `webhook-id: ${id}`,
    `webhook-timestamp: ${Math.floor(atMs / 1000)}`,
    `webhook-signature: ${new Webhook(key).sign(signedId ?? id, at, body.toString())}`,
  ];
}

const HMAC_GOOD = JSON.stringify({ type: 'NEW_MONEY_MOVEMENT', data: { note: CANARY } });
let signedAtMs: number | null = null;
/** The time of the first use: a signature is good for five minutes. */
const signedOnce = (): number => (signedAtMs ??= Date.now());

const JSON_TYPE = 'Content-Type: application/json';
const post = (body: string | Buffer, ...headers: string[]): RawPost => ({
  path: PATH,
  headers: [JSON_TYPE, ...headers],
  body,
});
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const unique = (): string => JSON.stringify({ nonce: randomBytes(8).toString('hex') });

type Row = [
  what: string,
  request: RawPost | readonly (string | Buffer)[],
  status: number | null,
  stored: 0 | 1,
];

/** To the receiver that trusts the path alone. */
const ROWS: readonly Row[] = [
  // Guesses of the path
  ['no secret', { path: '/webhooks/', body: GOOD }, 404, 0],
  ['no slash', { path: '/webhooks', body: GOOD }, 404, 0],
  ['a wrong secret', { path: '/webhooks/guess', body: GOOD }, 404, 0],
  ['all but the last character', { path: PATH.slice(0, -1), body: GOOD }, 404, 0],
  ['a character more', { path: `${PATH}x`, body: GOOD }, 404, 0],
  ['the secret in capitals', { path: PATH.toUpperCase(), body: GOOD }, 404, 0],
  ['a segment more', { path: `${PATH}/x`, body: GOOD }, 404, 0],
  ['a slash more', { path: `${PATH}/`, body: GOOD }, 404, 0],
  ['a doubled slash', { path: PATH.replace('/webhooks/', '/webhooks//'), body: GOOD }, 404, 0],
  ['dots upwards', { path: `/webhooks/x/../${PATH_SECRET}`, body: GOOD }, 404, 0],
  ['encoded dots upwards', { path: `/webhooks/%2e%2e/webhooks/${PATH_SECRET}`, body: GOOD }, 404, 0],
  ['a NUL in the secret', { path: `${PATH}%00`, body: GOOD }, 404, 0],
  ['a broken escape', { path: '/webhooks/%zz', body: GOOD }, 404, 0],
  ['a secret of 8 KB', { path: `/webhooks/${'a'.repeat(8_000)}`, body: GOOD }, 404, 0],
  ['a name of the prototype', { path: '/webhooks/__proto__', body: GOOD }, 404, 0],
  ['an absolute target', { path: `http://other.example/webhooks/x`, body: GOOD }, 404, 0],
  ['another service', { path: '/admin', body: GOOD }, 404, 0],
  ['the root', { path: '/', method: 'GET' }, 404, 0],
  // Methods
  ['GET', { path: PATH, method: 'GET' }, 404, 0],
  ['HEAD', { path: PATH, method: 'HEAD' }, 404, 0],
  ['PUT', { path: PATH, method: 'PUT', body: GOOD }, 404, 0],
  ['DELETE', { path: PATH, method: 'DELETE' }, 404, 0],
  ['OPTIONS', { path: PATH, method: 'OPTIONS' }, 404, 0],
  ['an unknown method', { path: PATH, method: 'GRAB', body: GOOD }, 400, 0],
  // Size and shape of the message
  ['an empty body', post(''), 400, 0],
  ['one byte too many', post(Buffer.alloc(256 * 1024 + 1, 0x20)), 413, 0],
  [
    'a length of 1 TB, before its body',
    [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000000\r\n\r\n`],
    413,
    0,
  ],
  [
    'an endless chunked body',
    [
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...Array.from({ length: 5 }, () => `10000\r\n${' '.repeat(65_536)}\r\n`),
    ],
    413,
    0,
  ],
  ['a negative length', [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`], 400, 0],
  [
    'two lengths',
    [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
    400,
    0,
  ],
  [
    'a length and chunks (smuggling)',
    [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    400,
    0,
  ],
  ['no HTTP at all', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'], 400, 0],
  ['HTTP/9.9', [`POST ${PATH} HTTP/9.9\r\nHost: a\r\n\r\n`], 400, 0],
  ['no Host', [`POST ${PATH} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`], 400, 0],
  ['a header with a line break', [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nX-A: b\nc\x00: d\r\n\r\n`], 400, 0],
  ['headers of 64 KB', post(unique(), `X-Flood: ${'a'.repeat(65_536)}`), 431, 0],
  [
    '3,000 headers',
    post(unique(), ...Array.from({ length: 3_000 }, (_, i) => `X-${i}: ${'v'.repeat(10)}`)),
    431,
    0,
  ],
  ['a body in gzip', post(unique(), 'Content-Encoding: gzip'), 400, 0],
  // Verified by the path: kept as they came, whatever they are, and read with care
  ['no JSON', post('hello'), 200, 1],
  ['HTML', post('<html><script>alert(1)</script></html>'), 200, 1],
  ['a wrong content type', { path: PATH, headers: ['Content-Type: image/png'], body: unique() }, 200, 1],
  ['no content type', { path: PATH, body: unique() }, 200, 1],
  ['a content type that is none', { path: PATH, headers: ['Content-Type: ;;;'], body: unique() }, 200, 1],
  ['invalid UTF-8', post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])), 200, 1],
  ['NUL bytes', post('{"originId":"\u0000\\u0000"}'), 200, 1],
  ['nested 100,000 deep', post(nested(100_000)), 200, 1],
  ['prototype keys', post('{"__proto__":{"originId":1},"constructor":{"prototype":{"id":"1"}}}'), 200, 1],
  ['a key twice', post('{"originId":1,"originId":2}'), 200, 1],
  ['an originId of 300 digits', post(`{"originId":${'9'.repeat(300)}}`), 200, 1],
  [
    'ids of every wrong kind',
    post('{"originId":[1],"networkId":{"a":1},"id":true,"requestId":null}'),
    200,
    1,
  ],
  ['an id of 100 KB', post(`{"networkId":"${'A'.repeat(100_000)}"}`), 200, 1],
  ['10,000 ids', post(JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ id: i })))), 200, 1],
  ['a request id that is a path', post('{"requestId":"../../transfer-1"}'), 200, 1],
  ['SQL in an id', post(`{"networkId":"'; drop table giro.transfer; --"}`), 200, 1],
  ['numbers beyond doubles', post('{"originId":1e400,"id":-0,"networkId":0.1e-999}'), 200, 1],
  ['256 KiB to the byte', post(`"${'x'.repeat(256 * 1024 - 2)}"`), 200, 1],
];

/** To the receiver that wants Standard Webhooks. */
const SIGNED_ROWS: readonly [what: string, request: () => RawPost, status: number, stored: 0 | 1][] = [
  ['no signature', () => post(unique()), 401, 0],
  ['another key', () => post(GOOD, ...signature(GOOD, { key: OTHER_KEY })), 401, 0],
  ['a body that was changed', () => post(`${GOOD} `, ...signature(GOOD)), 401, 0],
  ['an id that was changed', () => post(GOOD, ...signature(GOOD, { signedId: 'msg_0' })), 401, 0],
  ['six minutes old', () => post(GOOD, ...signature(GOOD, { atMs: Date.now() - 360_000 })), 401, 0],
  ['from six minutes ahead', () => post(GOOD, ...signature(GOOD, { atMs: Date.now() + 360_000 })), 401, 0],
  [
    'a time that is no number',
    () => post(GOOD, ...signature(GOOD).map((line) => line.replace(/(timestamp: ).*/, '$1soon'))),
    401,
    0,
  ],
  [
    'a version that is none',
    () => post(GOOD, ...signature(GOOD).map((line) => line.replace('v1,', 'v9,'))),
    401,
    0,
  ],
  [
    'an empty signature',
    () => post(GOOD, ...signature(GOOD).map((line) => line.replace(/v1,.*/, 'v1,'))),
    401,
    0,
  ],
  [
    '1,000 wrong signatures',
    () =>
      post(
        GOOD,
        ...signature(GOOD, { key: OTHER_KEY }).map((line) => line.replace(/v1,.*/, 'v1,AAAA '.repeat(1_000))),
      ),
    401,
    0,
  ],
  ['two ids', () => post(GOOD, 'webhook-id: other', ...signature(GOOD)), 401, 0],
  ['an unsigned body that is no JSON', () => post('}{'), 401, 0],
  ['a good one', () => post(GOOD, ...signature(GOOD)), 200, 1],
  ['the same once more (replayed)', () => post(GOOD, ...signature(GOOD)), 200, 0],
  [
    'the same id with a fresh signature',
    () => post(GOOD, ...signature(GOOD, { atMs: Date.now() - 1_000 })),
    200,
    0,
  ],
  [
    'two signatures, the second good',
    () => {
      const body = unique();
      return post(
        body,
        ...signature(body, { id: 'msg_2' }).map((line) => line.replace('v1,', 'v1,AAAA v1,')),
      );
    },
    200,
    1,
  ],
  ['a good signature of no JSON', () => post('}{', ...signature('}{', { id: 'msg_3' })), 200, 1],
];

/** By the default template of `WEBHOOK_HMAC_CONTENT`. */
function hmacSignature(
  body: string | Buffer,
  { secret = HMAC_SECRET, nonce = 'nonce-1', atMs = Date.now(), path = PATH } = {},
): string[] {
  const timestamp = String(Math.floor(atMs / 1_000));
  const digest = createHash('sha256').update(body).digest('hex');
  const content = [timestamp, nonce, 'POST', path, digest].join('\n');
  const mac = createHmac('sha256', secret).update(content).digest('hex');
  return [`X-Timestamp: ${timestamp}`, `X-Nonce: ${nonce}`, `X-Signature: ${mac}`];
}

const ACCENT = Buffer.from('{"note":"Pe\u00f1a, byte by byte"}', 'latin1');

/** To the receiver that wants an HMAC. */
const HMAC_ROWS: readonly [what: string, request: () => RawPost, status: number, stored: 0 | 1][] = [
  ['no signature', () => post(unique()), 401, 0],
  ['another secret', () => post(GOOD, ...hmacSignature(GOOD, { secret: 'another-secret' })), 401, 0],
  ['a body that was changed', () => post(`${GOOD} `, ...hmacSignature(GOOD)), 401, 0],
  ['a signature for another path', () => post(GOOD, ...hmacSignature(GOOD, { path: '/x' })), 401, 0],
  ['six minutes old', () => post(GOOD, ...hmacSignature(GOOD, { atMs: Date.now() - 360_000 })), 401, 0],
  [
    'a nonce that was changed',
    () => post(GOOD, ...hmacSignature(GOOD).map((line) => line.replace('nonce-1', 'nonce-2'))),
    401,
    0,
  ],
  [
    'a nonce of 1,000 characters',
    () => post(GOOD, ...hmacSignature(GOOD, { nonce: 'n'.repeat(1_000) })),
    401,
    0,
  ],
  ['two signatures', () => post(GOOD, 'X-Signature: 00', ...hmacSignature(GOOD)), 401, 0],
  [
    'no nonce',
    () => post(GOOD, ...hmacSignature(GOOD).filter((line) => !line.startsWith('X-Nonce'))),
    401,
    0,
  ],
  ['a good one', () => post(HMAC_GOOD, ...hmacSignature(HMAC_GOOD, { atMs: signedOnce() })), 200, 1],
  [
    'the very same once more',
    () => post(HMAC_GOOD, ...hmacSignature(HMAC_GOOD, { atMs: signedOnce() })),
    200,
    0,
  ],
  ['its nonce with another body', () => post(`${HMAC_GOOD} `, ...hmacSignature(HMAC_GOOD)), 401, 0],
  ['bytes that are no UTF-8', () => post(ACCENT, ...hmacSignature(ACCENT, { nonce: 'nonce-3' })), 200, 1],
];

test('the tables are large', () => {
  expect(ROWS.length + SIGNED_ROWS.length).toBeGreaterThanOrEqual(60);
});

test.each(ROWS)('%s', async (_what, request, status, kept) => {
  const before = await stored();
  const pieces = 'path' in request ? [requestBytes(request)] : request;
  expect(await rawRequest(receiver.port, pieces)).toBe(status);
  expect(await stored()).toBe(before + kept);
});

test.each(SIGNED_ROWS)('signed: %s', async (_what, request, status, kept) => {
  const before = await stored();
  expect(await rawRequest(strict.port, [requestBytes(request())])).toBe(status);
  expect(await stored()).toBe(before + kept);
});

test.each(HMAC_ROWS)('by HMAC: %s', async (_what, request, status, kept) => {
  const before = await stored();
  expect(await rawRequest(hmac.port, [requestBytes(request())])).toBe(status);
  expect(await stored()).toBe(before + kept);
});

test('a body that stops half-way, and one whose sender hangs up, are not stored', async () => {
  const before = await stored();
  const half = `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"half":`;
  expect(await rawRequest(receiver.port, [half], { hangUp: true })).not.toBe(200);
  // Cut off by the receiver's own time-out of 10 s.
  expect(await rawRequest(receiver.port, [half])).toBe(408);
  expect(await stored()).toBe(before);
});

test('afterwards both serve, everything is worked off, and no log holds a payload or the secret', async () => {
  for (const { healthUrl } of [receiver, strict, hmac]) {
    const health = await fetch(`${healthUrl}/readyz`);
    expect([health.status, await health.text()]).toEqual([200, 'ready\njournal: reachable\n']);
  }
  for (;;) {
    // Those with an id that might still become known wait a minute; nothing else does.
    const { rows } = await sql.query(
      `select 1 from giro.notification where due_at is not null and convert_from(body, 'LATIN1') !~ '"(id|networkId)"'`,
    );
    if (rows.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rows } = await sql.query<{ outcome: string }>(
    'select distinct outcome from giro.notification where outcome is not null order by 1',
  );
  expect(rows.map(({ outcome }) => outcome)).toEqual(['not-ours', 'unreadable']);
  const metrics = await (await fetch(`${receiver.healthUrl}/metrics`)).text();
  expect(metrics).toContain('giro_webhook_deliveries_total{outcome="too-large"} 3');
  expect(metrics).not.toContain(PATH_SECRET);
  for (const text of [receiver.log(), strict.log(), hmac.log(), hinting.log()]) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(PATH_SECRET);
    expect(text).not.toContain(KEY.slice(6));
    expect(text).not.toContain(HMAC_SECRET);
    const errors = text
      .split('\n')
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":50'));
    // On a busy machine a server may seem away for a moment, whatever is delivered: its return is logged too.
    const isEnd = (line: string): boolean => line.includes('"outageMs":');
    const outages = errors.filter((line) => line.includes('"server":'));
    expect(errors.filter((line) => !outages.includes(line))).toEqual([]);
    expect(outages.filter((line) => !isEnd(line))).toHaveLength(outages.filter(isEnd).length);
  }
});
