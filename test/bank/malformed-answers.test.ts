import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { BankClient } from '../../src/bank/movements/port';
import { makeAuthority, makeServerCertificate } from './certificates';
import {
  CANARIES,
  CREATE_BODY,
  IN_NO_WORKFLOW,
  MOVEMENT_TEXT,
  ORDER,
  bankClient,
  seeMovement,
} from './fixtures';
import { rawTlsServer, serve } from './local-server';
import type { LocalServer } from './local-server';
import { DECIDING_FIELDS, movementWith, movementWithout } from './movement-changes';

/**
 * Malformed answers, byte for byte over TLS. Each is made from a COMPLETED movement that matches the order: read
 * generously, it would end a transfer. None may.
 */

const FINAL_TEXT = MOVEMENT_TEXT.replace('IN_PROGRESS', 'COMPLETED');
const FINAL = Buffer.from(FINAL_TEXT);
const JSON_TYPE = 'Content-Type: application/json';

interface Row {
  readonly name: string;
  readonly wire: string | Buffer;
  /** Of the error, for the create (`unknown`) and the look-up (`no-answer`) alike. */
  readonly code: string;
}

/** A whole and well-framed HTTP answer. */
function http(body: string | Buffer, { status = '200 OK', headers = [JSON_TYPE] } = {}): Buffer {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${bytes.length}`, 'Connection: close'];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

const encoded = (encoding: string, body: Buffer): Buffer =>
  http(body, { headers: [JSON_TYPE, `Content-Encoding: ${encoding}`] });
const bomb = Buffer.alloc(32 << 20, 0x20);
const rows = (code: string, wires: Readonly<Record<string, string | Buffer>>): Row[] =>
  Object.entries(wires).map(([name, wire]) => ({ name, wire, code }));
const named = <T>(values: readonly T[], entry: (value: T) => readonly [string, Buffer]) =>
  Object.fromEntries(values.map(entry));
const cutsOf = (length: number): number[] => Array.from({ length: Math.ceil(length / 50) }, (_, i) => i * 50);

const WRONG_TYPES: readonly (readonly [string, unknown])[] = [
  ['an array', ['COMPLETED']],
  ['an object', { value: '1' }],
  ['true', true],
  ['a text of 201 characters', '1'.repeat(201)],
];
const PARENTS = [
  'details',
  'counterparty',
  'counterparty.accountRouting',
  'thisSubAccount',
  'thisSubAccount.accountRouting',
];

const TYPES: readonly Row[] = [
  ...DECIDING_FIELDS.flatMap((path) =>
    rows(
      'NOT_A_MOVEMENT',
      named(WRONG_TYPES, ([what, value]) => [
        `${path} as ${what}`,
        http(movementWith(FINAL_TEXT, path, value)),
      ]),
    ),
  ),
  ...PARENTS.flatMap((path) =>
    rows(
      'NOT_A_MOVEMENT',
      named(['', 7, false, []] as unknown[], (value) => [
        `${path} as ${JSON.stringify(value)}`,
        http(movementWith(FINAL_TEXT, path, value)),
      ]),
    ),
  ),
  ...rows('NOT_A_MOVEMENT', {
    'no status': http(movementWithout(FINAL_TEXT, 'status')),
    'status null': http(movementWith(FINAL_TEXT, 'status', null)),
    'status empty': http(movementWith(FINAL_TEXT, 'status', '')),
    'status blank': http(movementWith(FINAL_TEXT, 'status', ' \t ')),
    'status as a number': http(movementWith(FINAL_TEXT, 'status', 7)),
    'owners as a text': http(movementWith(FINAL_TEXT, 'thisSubAccount.owners', '30714979732')),
    'owners as lists in a list': http(movementWith(FINAL_TEXT, 'thisSubAccount.owners', [[]])),
    'a movement in an envelope': http(`{"data":${FINAL_TEXT}}`),
    'a movement as a JSON text': http(JSON.stringify(FINAL_TEXT)),
    'a movement under __proto__': http(`{"__proto__":${FINAL_TEXT}}`),
    'a movement under constructor.prototype': http(`{"constructor":{"prototype":${FINAL_TEXT}}}`),
    'an amount of 10^400 written out': http(FINAL_TEXT.replace('100.10', `1${'0'.repeat(400)}`)),
    true: http('true'),
  }),
];

const TEXTS: readonly Row[] = rows('UNREADABLE', {
  ...named(cutsOf(FINAL.length), (at) => [`cut after ${at} bytes`, http(FINAL.subarray(0, at))]),
  'two movements': http(`${FINAL_TEXT}${FINAL_TEXT}`),
  'two lines of JSON': http(`${FINAL_TEXT}\n{"more":1}`),
  'a page after the movement': http(`${FINAL_TEXT}<!-- gateway -->`),
  NaN: http(FINAL_TEXT.replace('100.10', 'NaN')),
  Infinity: http(FINAL_TEXT.replace('100.10', 'Infinity')),
  '-Infinity': http(FINAL_TEXT.replace('100.10', '-Infinity')),
  undefined: http(FINAL_TEXT.replace('100.10', 'undefined')),
  'a hexadecimal number': http(FINAL_TEXT.replace('100.10', '0x64')),
  'a number with a plus': http(FINAL_TEXT.replace('100.10', '+100.10')),
  'a number with a comma': http(FINAL_TEXT.replace('100.10', '100,10')),
  'a number that ends in a point': http(FINAL_TEXT.replace('100.10', '100.')),
  'single quotes': http(FINAL_TEXT.replaceAll('"', "'")),
  'a comment': http(`/* ok */${FINAL_TEXT}`),
  'a comma too many': http(FINAL_TEXT.replace(/\}\s*$/, ',}')),
  'a line break in a text': http(FINAL_TEXT.replace('CANARY text', 'CANARY\ntext')),
  'a NUL byte': http(FINAL_TEXT.replace('CANARY text', 'CANARY\0text')),
  'NUL bytes behind': http(`${FINAL_TEXT}\0\0`),
  'two byte order marks': http(`\uFEFF\uFEFF${FINAL_TEXT}`),
  'another status in a second key': http(FINAL_TEXT.replace('"status"', '"status":"FAILED","status"')),
  'another amount in a second key': http(FINAL_TEXT.replace('"amount":', '"amount":1,"amount":')),
  'other details in a second key': http(FINAL_TEXT.replace(/\}\s*$/, ',"details":{}}')),
  'the second key in escapes': http(FINAL_TEXT.replace('"status"', '"\\u0073tatus":"FAILED","status"')),
  'UTF-16 with a mark': http(Buffer.from(`\uFEFF${FINAL_TEXT}`, 'utf16le')),
  'UTF-16 without': http(Buffer.from(FINAL_TEXT, 'utf16le')),
  'an overlong UTF-8 form': http(Buffer.concat([FINAL, Buffer.from([0xc0, 0xa0])])),
  'half a surrogate in UTF-8': http(
    Buffer.concat([FINAL.subarray(0, -1), Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])]),
  ),
  'charset UTF-16': http(FINAL_TEXT, { headers: ['Content-Type: application/json; charset=utf-16'] }),
  'charset windows-1252': http(FINAL_TEXT, {
    headers: ['Content-Type: application/json;charset="windows-1252"'],
  }),
  'nesting of 33 in an unknown field': http(
    FINAL_TEXT.replace('{', `{"x":${'{"x":'.repeat(32)}1${'}'.repeat(32)},`),
  ),
  'gzip, cut': encoded('gzip', gzipSync(FINAL).subarray(0, -12)),
  'gzip, its checksum wrong': encoded('gzip', withLastByteChanged(gzipSync(FINAL), 8)),
  'gzip said to be deflate': encoded('deflate', gzipSync(FINAL)),
  'deflate, cut': encoded('deflate', deflateSync(FINAL).subarray(0, -6)),
  'brotli, cut': encoded('br', brotliCompressSync(FINAL).subarray(0, -6)),
  'gzip twice': encoded('gzip, gzip', gzipSync(gzipSync(FINAL))),
  'gzip without saying so': http(gzipSync(FINAL)),
  '204 with a movement behind it': http(FINAL_TEXT, { status: '204 No Content' }),
  '206, a part': http(FINAL.subarray(0, 400), { status: '206 Partial Content' }),
});

const SIZES: readonly Row[] = rows('TOO_LARGE', {
  'a gzip bomb': encoded('gzip', gzipSync(bomb)),
  'a deflate bomb': encoded('deflate', deflateSync(bomb)),
  'a brotli bomb': encoded('br', brotliCompressSync(bomb)),
  'a movement and 256 KiB of blanks': http(`${FINAL_TEXT}${' '.repeat(256 * 1024)}`),
  'a text of 300 KiB': http(movementWith(FINAL_TEXT, 'details.message', 'x'.repeat(300 * 1024))),
});

const CHUNKED = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const withLength = (length: number | string) =>
  `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${FINAL_TEXT}`;

const FRAMES: readonly Row[] = [
  ...rows('CONNECTION_LOST', {
    nothing: '',
    'half a status line': 'HTTP/1.1 2',
    'headers without an end': `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\n`,
    'a Content-Length too long': withLength(FINAL.length + 1),
    'a chunked body without its end': `${CHUNKED}${chunk(FINAL_TEXT)}`,
    'a chunk cut in the middle': `${CHUNKED}${chunk(FINAL_TEXT).slice(0, -100)}`,
    'a storm of 100 Continue, then nothing': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000),
    'a storm of 103 Early Hints, then nothing': 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(2_000),
  }),
  ...rows('UNREADABLE', {
    'a Content-Length too short': withLength(FINAL.length - 1),
    'a Content-Length below zero': withLength(-1),
    'a Content-Length that is no number': withLength('many'),
    'two Content-Lengths': withLength(`${FINAL.length}\r\nContent-Length: 5`),
    'Content-Length and chunks': `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(FINAL_TEXT)}0\r\n\r\n`,
    'a chunk size that is no number': `${CHUNKED}zz\r\n${FINAL_TEXT}\r\n0\r\n\r\n`,
    'a flood of headers': http(FINAL_TEXT, {
      headers: Array.from({ length: 2_000 }, (_, i) => `X-${i}: ${'x'.repeat(100)}`),
    }),
    'one header of 64 KiB': http(FINAL_TEXT, { headers: [`X-Long: ${'x'.repeat(65_536)}`] }),
    'a header without a colon': http(FINAL_TEXT, { headers: ['no header at all'] }),
    'a status line without a number': http(FINAL_TEXT, { status: 'OK' }),
    'another protocol': 'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/2 frames': Buffer.from('000006040000000000000400100000', 'hex'),
    'the movement without HTTP': FINAL_TEXT,
  }),
  ...rows('REDIRECT', {
    ...named([300, 301, 302, 303, 305, 306, 307, 308], (status) => [
      `${status} with a movement`,
      http(FINAL_TEXT, { status: `${status} Elsewhere`, headers: [JSON_TYPE, 'Location: /elsewhere'] }),
    ]),
  }),
  ...rows('HTTP_STATUS', {
    ...named([402, 418, 451, 500, 502, 504, 520, 599], (status) => [
      `${status} with a movement`,
      http(FINAL_TEXT, { status: `${status} Status` }),
    ]),
  }),
];

const ROWS: readonly Row[] = [...TYPES, ...TEXTS, ...SIZES, ...FRAMES];

let caPem: string;
let server: LocalServer;
let client: BankClient & { close(): Promise<void> };
let requests = 0;
let wire: string | Buffer = '';

beforeAll(async () => {
  const ca = await makeAuthority('test authority');
  caPem = ca.cert;
  const bank = await makeServerCertificate(ca, 'loopback');
  server = await serve(
    rawTlsServer(bank, (socket) => {
      requests += 1;
      socket.end(wire);
    }),
  );
  client = bankClient({ baseUrl: server.baseUrl, caPem });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

async function askedBoth(answer: string | Buffer) {
  wire = answer;
  requests = 0;
  return {
    created: await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW),
    found: await client.getMovement({ originId: '4711' }, IN_NO_WORKFLOW),
  };
}

it('the table has its rows, each once', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(120);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});

it('what the rows are made from ends a transfer', async () => {
  const { created, found } = await askedBoth(http(FINAL_TEXT));
  for (const reply of [created, found]) {
    expect('movement' in reply && seeMovement(ORDER, reply)).toMatchObject({
      status: 'COMPLETED',
      echo: 'match',
    });
  }
});

it.each(ROWS)('$name: $code', async ({ wire: answer, code }) => {
  const { created, found } = await askedBoth(answer);
  expect([created, found]).toMatchObject([
    { kind: 'unknown', error: { code } },
    { kind: 'no-answer', error: { code } },
  ]);
  // Neither followed nor repeated by the transport.
  expect(requests).toBe(2);
  for (const canary of CANARIES) expect(JSON.stringify([created, found])).not.toContain(canary);
});

describe('a readable final status without the fields that tie it to the order ends nothing', () => {
  const required = [
    ['details.originId', 'originId'],
    ['details.amount', 'amount'],
    ['details.amountCurrency', 'currency'],
  ] as const;
  const notOurs: readonly (readonly [name: string, text: string, echo: string, fields: readonly string[]])[] =
    [
      ...required.flatMap(([path, field]) => [
        [`${path} null`, movementWith(FINAL_TEXT, path, null), 'incomplete', [field]] as const,
        [`${path} empty`, movementWith(FINAL_TEXT, path, ''), 'incomplete', [field]] as const,
        [`no ${path}`, movementWithout(FINAL_TEXT, path), 'incomplete', [field]] as const,
        [`${path} in words`, movementWith(FINAL_TEXT, path, 'a hundred'), 'mismatch', [field]] as const,
      ]),
      ['details null', movementWith(FINAL_TEXT, 'details', null), 'incomplete', ['details']],
      ['no details', movementWithout(FINAL_TEXT, 'details'), 'incomplete', ['details']],
      [
        'details empty',
        movementWith(FINAL_TEXT, 'details', {}),
        'incomplete',
        required.map(([, field]) => field),
      ],
      ['nothing but the word', '{"status":"COMPLETED"}', 'incomplete', ['details']],
      ['details under __proto__', FINAL_TEXT.replace('"details"', '"__proto__"'), 'incomplete', ['details']],
      [
        'the amount under __proto__ of the details',
        FINAL_TEXT.replace('"amount":100.10', '"__proto__":{"amount":100.10}'),
        'incomplete',
        ['amount'],
      ],
      ['an amount of 1e999', FINAL_TEXT.replace('100.10', '1e999'), 'mismatch', ['amount']],
      ['an amount of 1e999999999999', FINAL_TEXT.replace('100.10', '1e999999999999'), 'mismatch', ['amount']],
      [
        'an amount that a double would round to ours',
        FINAL_TEXT.replace('100.10', '100.10000000000000000001'),
        'mismatch',
        ['amount'],
      ],
      ['an amount below zero', FINAL_TEXT.replace('100.10', '-100.10'), 'mismatch', ['amount']],
      ['an amount as 100,10', movementWith(FINAL_TEXT, 'details.amount', '100,10'), 'mismatch', ['amount']],
      ['an originId of 4711.5', FINAL_TEXT.replace('4711', '4711.5'), 'mismatch', ['originId']],
    ];

  it.each(notOurs)('%s', async (_name, text, echo, echoFields) => {
    const { created, found } = await askedBoth(http(text));
    for (const reply of [created, found]) {
      const seen = 'movement' in reply ? seeMovement(ORDER, reply) : reply;
      expect(seen).toMatchObject({ status: 'COMPLETED', echo, echoFields });
    }
  });
});

it.each([
  ['personal text', 'Pago de CANARY Perez'],
  ['control characters', 'COMPLETED\u0000\u001b[2J'],
  ['a blank behind', 'COMPLETED '],
  ['small letters', 'completed'],
  ['letters that look alike', 'СOMPLETED'],
  ['200 characters', 'C'.repeat(200)],
])('a status with %s is another word, and leaves only as a hash', async (_name, status) => {
  const { created, found } = await askedBoth(http(movementWith(FINAL_TEXT, 'status', status)));
  for (const reply of [created, found]) {
    expect('movement' in reply && seeMovement(ORDER, reply).status).toMatch(/^UNREADABLE_[0-9A-F]{8}$/);
  }
});

function withLastByteChanged(bytes: Buffer, fromEnd: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(changed.length - fromEnd) ^ 0xff, changed.length - fromEnd);
  return changed;
}
