import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { stringifyJson } from '../../src/bank/http/json';
import type { BankClient } from '../../src/bank/movements/port';
import type { BankClientOptions } from '../../src/bank/http-bank-client';
import { makeAuthority, makeServerCertificate } from './certificates';
import { CANARIES, CREATE_BODY, IN_NO_WORKFLOW, MOVEMENT_TEXT, bankClient } from './fixtures';
import { httpsServer, serve } from './local-server';
import type { LocalServer } from './local-server';

/** What each whole answer of the bank means for a create and a look-up, over HTTPS. */

let caPem: string;
let server: LocalServer;
let requests = 0;
let answer: (response: ServerResponse) => void = (response) => response.end();

beforeAll(async () => {
  const ca = await makeAuthority('test authority');
  caPem = ca.cert;
  const bank = await makeServerCertificate(ca, 'loopback');
  server = await serve(
    httpsServer(bank, (_, response) => {
      requests += 1;
      answer(response);
    }),
  );
});
afterAll(() => server.close());

async function withClient<T>(options: Partial<BankClientOptions>, use: (client: BankClient) => Promise<T>) {
  const client = bankClient({ baseUrl: server.baseUrl, caPem, ...options });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

interface Case {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly options?: Partial<BankClientOptions>;
  /** `unknown CODE`, `refused`, `refused CODE` or `answered STATUS`. */
  readonly create: string;
  /** `no-answer CODE`, `not-found` or `movement STATUS`. */
  readonly lookup: string;
  readonly retryAfterMs?: number;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HTML_TYPE = { 'Content-Type': 'text/html; charset=utf-8' };
const HTML = '<html><body>CANARY</body></html>';
const DAY_MS = 86_400_000;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const withStatus = (extra: string) => `{"status":"CREATED",${extra}}`;
const REFUSED_BY_CODE = {
  refused: { statuses: [400, 422], codePointer: '/error/code', codes: ['1001', 'NO_FUNDS'] },
};
const NOT_FOUND_BY_CODE = { notFound: { statuses: [], codePointer: '/code', codes: ['M-404'] } };

const CASES: readonly Case[] = [
  { name: 'a movement', body: MOVEMENT_TEXT, create: 'answered IN_PROGRESS', lookup: 'movement IN_PROGRESS' },
  {
    name: 'a movement with 201',
    status: 201,
    body: MOVEMENT_TEXT,
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: 'a movement as text/plain',
    headers: { 'Content-Type': 'text/plain; charset="UTF-8"' },
    body: MOVEMENT_TEXT,
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: 'a movement with a byte order mark',
    body: `\uFEFF${MOVEMENT_TEXT}`,
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: 'gzip though identity was asked',
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(MOVEMENT_TEXT),
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: 'deflate',
    headers: { 'Content-Encoding': 'deflate' },
    body: deflateSync(MOVEMENT_TEXT),
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: 'brotli',
    headers: { 'Content-Encoding': 'br' },
    body: brotliCompressSync(MOVEMENT_TEXT),
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: 'a gzip bomb (64 MiB)',
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(64 << 20, 0x20)),
    create: 'unknown TOO_LARGE',
    lookup: 'no-answer TOO_LARGE',
  },
  {
    name: 'broken gzip',
    headers: { 'Content-Encoding': 'gzip' },
    body: MOVEMENT_TEXT,
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'an unknown encoding',
    headers: { 'Content-Encoding': 'zstd' },
    body: MOVEMENT_TEXT,
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'an unknown status word',
    body: '{"id":"17","status":"PARKED"}',
    create: 'answered PARKED',
    lookup: 'movement PARKED',
  },
  {
    name: 'an unknown word with nothing beside it, as error envelopes have',
    body: '{"status":"ERROR","message":"x"}',
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  { name: 'no body', status: 200, create: 'unknown UNREADABLE', lookup: 'no-answer UNREADABLE' },
  { name: '204', status: 204, create: 'unknown UNREADABLE', lookup: 'no-answer UNREADABLE' },
  {
    name: 'a page with 200',
    headers: HTML_TYPE,
    body: HTML,
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'cut JSON of the announced length',
    body: MOVEMENT_TEXT.slice(0, -20),
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'text after the JSON',
    body: `${MOVEMENT_TEXT}{}`,
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'a foreign charset',
    headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
    body: MOVEMENT_TEXT,
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'bytes that are not UTF-8',
    body: Buffer.from(MOVEMENT_TEXT.replace('PEREZ', 'PÉREZ'), 'latin1'),
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'UTF-16',
    body: Buffer.from(`\uFEFF${MOVEMENT_TEXT}`, 'utf16le'),
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'nesting within the bound',
    body: withStatus(`"x":${nested(31)}`),
    create: 'answered CREATED',
    lookup: 'movement CREATED',
  },
  {
    name: 'nesting beyond the bound',
    body: withStatus(`"x":${nested(32)}`),
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'nesting of 100,000',
    body: nested(100_000),
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'a status that comes twice',
    body: '{"status":"FAILED","status":"COMPLETED"}',
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'a number with 100,000 digits beside',
    body: withStatus(`"x":${'9'.repeat(100_000)}`),
    create: 'answered CREATED',
    lookup: 'movement CREATED',
  },
  {
    name: 'a number with 100,000 digits as originId',
    body: withStatus(`"details":{"originId":${'9'.repeat(100_000)}}`),
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  {
    name: 'a leading zero (032 as a number)',
    body: withStatus('"details":{"amountCurrency":032}'),
    create: 'unknown UNREADABLE',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: 'an array',
    body: `[${MOVEMENT_TEXT}]`,
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  {
    name: 'a string',
    body: '"COMPLETED"',
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  { name: 'a number', body: '7', create: 'unknown NOT_A_MOVEMENT', lookup: 'no-answer NOT_A_MOVEMENT' },
  { name: 'null', body: 'null', create: 'unknown NOT_A_MOVEMENT', lookup: 'no-answer NOT_A_MOVEMENT' },
  {
    name: 'an empty object',
    body: '{}',
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  {
    name: 'a business error with 200',
    body: '{"statusCode":7,"message":"CANARY"}',
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  {
    name: 'a listed code with 200',
    body: '{"status":"ERROR","error":{"code":1001}}',
    options: REFUSED_BY_CODE,
    create: 'refused 1001',
    lookup: 'no-answer NOT_A_MOVEMENT',
  },
  {
    name: 'a listed code with 500',
    status: 500,
    body: '{"error":{"code":"NO_FUNDS"}}',
    options: REFUSED_BY_CODE,
    create: 'refused NO_FUNDS',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: 'another code with 500',
    status: 500,
    body: '{"error":{"code":"BUSY"}}',
    options: REFUSED_BY_CODE,
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: 'another code with 422',
    status: 422,
    body: '{"error":{"code":"CBU-7"}}',
    options: REFUSED_BY_CODE,
    create: 'refused CBU-7',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: 'text in the place of the code',
    status: 422,
    body: '{"error":{"code":"CANARY of Juan Perez"}}',
    options: REFUSED_BY_CODE,
    create: 'refused',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: '400',
    status: 400,
    body: '{"message":"CANARY"}',
    create: 'refused',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: '422 with a page',
    status: 422,
    headers: HTML_TYPE,
    body: HTML,
    create: 'refused',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: '422, not listed',
    status: 422,
    body: '{}',
    options: { refused: { statuses: [400], codePointer: null, codes: [] } },
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer HTTP_STATUS',
  },
  { name: '401', status: 401, body: '{}', create: 'unknown UNAUTHORIZED', lookup: 'no-answer UNAUTHORIZED' },
  {
    name: '403',
    status: 403,
    headers: HTML_TYPE,
    body: HTML,
    create: 'unknown UNAUTHORIZED',
    lookup: 'no-answer UNAUTHORIZED',
  },
  { name: '404', status: 404, body: '{"code":"M-404"}', create: 'unknown HTTP_STATUS', lookup: 'not-found' },
  { name: '404 without a body', status: 404, create: 'unknown HTTP_STATUS', lookup: 'not-found' },
  {
    name: '404 with a page',
    status: 404,
    headers: HTML_TYPE,
    body: HTML,
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: '404 declared as a page, empty',
    status: 404,
    headers: HTML_TYPE,
    body: '',
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: '404 with plain text',
    status: 404,
    headers: { 'Content-Type': 'text/plain' },
    body: 'Not Found',
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer UNREADABLE',
  },
  {
    name: '404 of 300 KiB',
    status: 404,
    body: JSON.stringify('x'.repeat(300 * 1024)),
    create: 'unknown TOO_LARGE',
    lookup: 'no-answer TOO_LARGE',
  },
  {
    name: '404, not listed',
    status: 404,
    body: '{"code":"OTHER"}',
    options: NOT_FOUND_BY_CODE,
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: 'a listed not-found code with 200',
    body: '{"code":"M-404"}',
    options: NOT_FOUND_BY_CODE,
    create: 'unknown NOT_A_MOVEMENT',
    lookup: 'not-found',
  },
  {
    name: 'a movement with a status listed as not-found',
    body: MOVEMENT_TEXT,
    options: { notFound: { statuses: [200], codePointer: null, codes: [] } },
    create: 'answered IN_PROGRESS',
    lookup: 'movement IN_PROGRESS',
  },
  {
    name: '409',
    status: 409,
    body: MOVEMENT_TEXT,
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: '429 with seconds',
    status: 429,
    headers: { 'Retry-After': '17' },
    create: 'unknown RATE_LIMITED',
    lookup: 'no-answer RATE_LIMITED',
    retryAfterMs: 17_000,
  },
  {
    name: '429 with a date long ago',
    status: 429,
    headers: { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' },
    create: 'unknown RATE_LIMITED',
    lookup: 'no-answer RATE_LIMITED',
    retryAfterMs: 0,
  },
  {
    name: '503 with a date far off',
    status: 503,
    headers: { 'Retry-After': 'Sun, 21 Oct 2114 07:28:00 GMT' },
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer HTTP_STATUS',
    retryAfterMs: DAY_MS,
  },
  {
    name: '500 with a movement',
    status: 500,
    body: MOVEMENT_TEXT,
    create: 'unknown HTTP_STATUS',
    lookup: 'no-answer HTTP_STATUS',
  },
  {
    name: '301',
    status: 301,
    headers: { Location: '/elsewhere' },
    create: 'unknown REDIRECT',
    lookup: 'no-answer REDIRECT',
  },
  {
    name: '307 with a movement',
    status: 307,
    headers: { Location: '/elsewhere' },
    body: MOVEMENT_TEXT,
    create: 'unknown REDIRECT',
    lookup: 'no-answer REDIRECT',
  },
  {
    name: '308, though listed',
    status: 308,
    headers: { Location: '/elsewhere' },
    options: { refused: { statuses: [308], codePointer: null, codes: [] } },
    create: 'unknown REDIRECT',
    lookup: 'no-answer REDIRECT',
  },
];

test.each(CASES)('$name: $create, $lookup', async (given) => {
  const { status = 200, headers = JSON_TYPE, body = '', options = {}, retryAfterMs = null } = given;
  answer = (response) => response.writeHead(status, headers).end(body);
  requests = 0;
  const { created, found } = await withClient(options, async (client) => ({
    created: await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW),
    found: await client.getMovement({ originId: '4711' }, IN_NO_WORKFLOW),
  }));

  expect([inWords(created), inWords(found)]).toEqual([given.create, given.lookup]);
  // No redirect followed, nothing repeated.
  expect(requests).toBe(2);
  for (const reply of [created, found]) {
    if ('error' in reply) expect(reply.error).toMatchObject({ httpStatus: status, retryAfterMs });
    if (!('movement' in reply)) {
      for (const canary of CANARIES) expect(JSON.stringify(reply)).not.toContain(canary);
    }
  }
});

test('the evidence is the hash of the bytes on the wire', async () => {
  const bytes = Buffer.from(`  ${MOVEMENT_TEXT}\n`);
  answer = (response) => response.writeHead(200, JSON_TYPE).end(bytes);
  const reply = await withClient({}, (client) => client.getMovement({ networkId: 'EXM1' }, IN_NO_WORKFLOW));
  expect(reply).toMatchObject({
    kind: 'movement',
    evidenceSha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

test('names do not leave the client', async () => {
  answer = (response) => response.writeHead(200, JSON_TYPE).end(MOVEMENT_TEXT);
  const reply = await withClient({}, (client) => client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW));
  expect(reply.kind).toBe('answered');
  expect(JSON.stringify(reply)).not.toContain('CANARY');
});

test('raw data comes as it is, or not at all', async () => {
  const raw = (status: number, body: string) => {
    answer = (response) => response.writeHead(status, JSON_TYPE).end(body);
    return withClient({}, (client) => client.getRawMovement({ debinId: 'D-1' }, IN_NO_WORKFLOW));
  };
  const reply = await raw(200, '{"importe":100.10,"id":9007199254740993}');
  expect(reply).toMatchObject({ kind: 'raw' });

  expect(stringifyJson(reply.kind === 'raw' ? reply.value : null)).toBe(
    '{"importe":100.10,"id":9007199254740993}',
  );
  expect(await raw(404, '{}')).toEqual({ kind: 'not-found' });
  expect(await raw(200, '<html>')).toMatchObject({ kind: 'no-answer', error: { code: 'UNREADABLE' } });
  expect(await raw(503, '{}')).toMatchObject({ kind: 'no-answer', error: { code: 'HTTP_STATUS' } });
});

type Reply =
  Awaited<ReturnType<BankClient['createTransfer']>> | Awaited<ReturnType<BankClient['getMovement']>>;

function inWords(reply: Reply): string {
  switch (reply.kind) {
    case 'answered':
    case 'movement':
      return `${reply.kind} ${reply.movement.status}`;
    case 'refused':
      return reply.code === null ? 'refused' : `refused ${reply.code}`;
    case 'not-found':
      return 'not-found';
    case 'not-sent':
    case 'unknown':
    case 'no-answer':
      return `${reply.kind} ${reply.error.code}`;
  }
}
