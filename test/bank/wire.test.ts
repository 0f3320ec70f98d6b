import { makeAuthority, makeServerCertificate } from './certificates';
import { CREATE_BODY, IN_NO_WORKFLOW, MOVEMENT_TEXT, TOKEN, bankClient } from './fixtures';
import { httpsServer, serve } from './local-server';

import type { Arrived, LocalServer } from './local-server';
import type { ClientOverrides } from './fixtures';
import type { SignableRequest } from '../../src/signing/signable-request';
import type { TokenSource } from '../../src/bank/credentials/token-source';

/** The exact bytes and headers that leave, tokens and their renewal, and how close a call comes to its deadline. */

let caPem: string;
let server: LocalServer;
let arrived: Arrived[] = [];
/** Statuses of the next answers; when used up: 200. */
let statuses: (number | 'reset')[] = [];
let answerText = MOVEMENT_TEXT;

beforeAll(async () => {
  const ca = await makeAuthority('test authority');
  caPem = ca.cert;
  server = await serve(
    httpsServer(await makeServerCertificate(ca, 'loopback'), (request, response) => {
      arrived.push(request);
      const status = statuses.shift() ?? 200;
      if (status === 'reset') response.socket?.destroy();
      else
        response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(status === 200 ? answerText : '{}');
    }),
  );
});
afterAll(() => server.close());
beforeEach(() => {
  arrived = [];
  statuses = [];
  answerText = MOVEMENT_TEXT;
});

async function create(
  options: Partial<ClientOverrides> = {},
  body = CREATE_BODY,
  workflowTime: string | null = null,
) {
  const client = bankClient({ baseUrl: server.baseUrl, caPem, ...options });
  try {
    return await client.createTransfer(body, { workflowTime });
  } finally {
    await client.close();
  }
}

async function lookup(key: Parameters<ReturnType<typeof bankClient>['getMovement']>[0]) {
  const client = bankClient({ baseUrl: server.baseUrl, caPem });
  try {
    return await client.getMovement(key, IN_NO_WORKFLOW);
  } finally {
    await client.close();
  }
}

const only = (): Arrived => {
  expect(arrived).toHaveLength(1);
  return arrived[0]!;
};

describe('the bytes that leave', () => {
  test('the create body is sent as given, 100.10 included', async () => {
    const body = CREATE_BODY.replace('Factura 17', 'Ñandú 🧾 ');
    expect(body).toContain('"amount":100.10,');
    expect((await create({}, body)).kind).toBe('answered');
    const request = only();
    expect(request.method).toBe('POST');
    expect(request.url).toBe('/v2/apibank/movements/transfer-request');
    expect(request.body.equals(Buffer.from(body))).toBe(true);
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'accept-encoding': 'identity',
      'user-agent': 'giro-test',
      authorization: TOKEN,
    });
    expect(request.headers['transfer-encoding']).toBeUndefined();
    expect(request.headers['x-giro-time']).toBeUndefined();
  });

  test.each([
    [{ originId: '4711' }, '{"originId":4711}'],
    [{ originId: '9007199254740993' }, '{"originId":9007199254740993}'],
    [{ networkId: 'EXM"1' }, '{"networkId":"EXM\\"1"}'],
    [{ debinId: '0012' }, '{"debinId":"0012"}'],
  ])('the look-up of %j', async (key, body) => {
    await lookup(key);
    expect(only().url).toBe('/v2/apibank/movements/get-movement');
    expect(only().body.toString()).toBe(body);
  });

  test('getRawData is sent with the key', async () => {
    const client = bankClient({ baseUrl: server.baseUrl, caPem });
    await client.getRawMovement({ originId: '4711' }, IN_NO_WORKFLOW);
    await client.close();
    expect(only().body.toString()).toBe('{"originId":4711,"getRawData":true}');
  });

  test.each(['', '4711}', '047', '-1', '1e3', '4711.0'])(
    'originId %j is a bug of the caller',
    async (originId) => {
      await expect(lookup({ originId })).rejects.toThrow('decimal digits');
      expect(arrived).toHaveLength(0);
    },
  );

  test('the base path, the bearer style and further headers', async () => {
    await create({
      baseUrl: `${server.baseUrl}/bank/api/`,
      authStyleTransfers: 'bearer',
      extraHeaders: { 'X-Client-Id': 'giro', authorization: 'Basic other', 'Accept-Encoding': 'gzip' },
    });
    const { url, headers, rawHeaders } = only();
    expect(url).toBe('/bank/api/v2/apibank/movements/transfer-request');
    expect(headers).toMatchObject({
      'x-client-id': 'giro',
      authorization: `Bearer ${TOKEN}`,
      'accept-encoding': 'identity',
    });
    expect(rawHeaders.filter((name) => name.toLowerCase() === 'authorization')).toHaveLength(1);
  });

  test('X-Giro-Time under the sandbox switch only, and only where it is known', async () => {
    const time = '2026-03-01T12:00:00.000Z';
    await create({ sendWorkflowTime: true }, CREATE_BODY, time);
    await create({ sendWorkflowTime: true });
    await create({ sendWorkflowTime: false }, CREATE_BODY, time);
    expect(arrived.map(({ headers }) => headers['x-giro-time'])).toEqual([time, undefined, undefined]);
  });

  test('environment proxies are not used', async () => {
    const before = process.env['https_proxy'];
    process.env['https_proxy'] = 'http://127.0.0.1:9';
    try {
      expect((await create()).kind).toBe('answered');
    } finally {
      if (before === undefined) delete process.env['https_proxy'];
      else process.env['https_proxy'] = before;
    }
  });
});

test('numbers of the answer keep their text', async () => {
  answerText = MOVEMENT_TEXT.replace('"8812345678901234567"', '9007199254740993').replace(
    '"originId":4711',
    '"originId":9007199254740993',
  );
  expect(await lookup({ originId: '4711' })).toMatchObject({
    kind: 'movement',
    movement: { id: '9007199254740993', originId: '9007199254740993', amount: '100.10', currency: '032' },
  });
});

test('many calls at once share the bounded sockets', async () => {
  const before = server.connections();
  const client = bankClient({ baseUrl: server.baseUrl, caPem, maxSockets: 4 });
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => client.getMovement({ originId: String(i) }, IN_NO_WORKFLOW)),
  );
  await client.close();
  expect(replies.every(({ kind }) => kind === 'movement')).toBe(true);
  expect(server.connections() - before).toBeLessThanOrEqual(4);
});

describe('tokens', () => {
  const renewing = (fresh: string): TokenSource & { renewals: string[] } => {
    const renewals: string[] = [];
    return {
      renewals,
      token: () => Promise.resolve('stale'),
      renew: (stale) => {
        renewals.push(stale);
        return Promise.resolve(fresh);
      },
    };
  };
  const authorizations = () => arrived.map(({ headers }) => headers.authorization);

  test('a 401 renews and repeats once, with the same bytes', async () => {
    statuses = [401];
    const tokens = renewing('fresh');
    expect((await create({ tokens })).kind).toBe('answered');
    expect(tokens.renewals).toEqual(['stale']);
    expect(authorizations()).toEqual(['stale', 'fresh']);
    expect(arrived[1]?.body.equals(arrived[0]!.body)).toBe(true);
  });

  test('a 401 that is cut off renews the token too', async () => {
    const ca = await makeAuthority('short-lived');
    const gateway = await serve(
      httpsServer(await makeServerCertificate(ca, 'loopback'), ({ headers }, response) => {
        if (headers.authorization === 'fresh') {
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(MOVEMENT_TEXT);
          return;
        }
        response.writeHead(401, { 'Content-Length': '100' });
        response.write('{', () => response.destroy());
      }),
    );
    const tokens = renewing('fresh');
    const reply = await create({ tokens, baseUrl: gateway.baseUrl, caPem: ca.cert });
    await gateway.close();
    expect([reply.kind, tokens.renewals]).toEqual(['answered', ['stale']]);
  });

  test('a second 401 is the answer', async () => {
    statuses = [401, 401, 200];
    expect(await create({ tokens: renewing('fresh') })).toMatchObject({
      kind: 'unknown',
      error: { code: 'UNAUTHORIZED', httpStatus: 401 },
    });
    expect(arrived).toHaveLength(2);
  });

  test('a static token is not tried twice', async () => {
    statuses = [401];
    expect(await create()).toMatchObject({ kind: 'unknown', error: { code: 'UNAUTHORIZED' } });
    expect(arrived).toHaveLength(1);
  });

  test('403 renews nothing', async () => {
    statuses = [403];
    const tokens = renewing('fresh');
    expect(await create({ tokens })).toMatchObject({ kind: 'unknown', error: { code: 'UNAUTHORIZED' } });
    expect(tokens.renewals).toEqual([]);
  });

  test('a renewal that fails leaves the 401', async () => {
    statuses = [401];
    const tokens = {
      token: () => Promise.resolve('stale'),
      renew: () => Promise.reject(new Error('CANARY')),
    };
    expect(await create({ tokens })).toEqual({
      kind: 'unknown',
      error: { code: 'UNAUTHORIZED', httpStatus: 401, retryAfterMs: null },
    });
  });

  test('a refusal of the repetition is a refusal', async () => {
    statuses = [401, 422];
    expect(await create({ tokens: renewing('fresh') })).toMatchObject({ kind: 'refused', httpStatus: 422 });
  });

  test('a repetition that dies is unknown', async () => {
    statuses = [401, 'reset'];
    expect(await create({ tokens: renewing('fresh') })).toMatchObject({
      kind: 'unknown',
      error: { code: 'CONNECTION_LOST' },
    });
  });

  test('after a 401, even a repetition that was not written is unknown', async () => {
    const ca = await makeAuthority('short-lived');
    const passing = await serve(
      httpsServer(await makeServerCertificate(ca, 'loopback'), (_, response) => {
        response.writeHead(401, { Connection: 'close' }).end();
      }),
    );
    const tokens: TokenSource = {
      token: () => Promise.resolve('stale'),
      renew: async () => {
        await passing.close();
        return 'fresh';
      },
    };
    expect(await create({ tokens, baseUrl: passing.baseUrl, caPem: ca.cert })).toMatchObject({
      kind: 'unknown',
      error: { code: 'CONNECTION_REFUSED' },
    });
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('CANARY'))],
    ['never answers', () => new Promise<string>(() => undefined)],
    ['is empty', () => Promise.resolve('')],
    ['has a line break', () => Promise.resolve('abc\r\nX-Other: 1')],
    ['is not ASCII', () => Promise.resolve('clavé')],
  ])('a token that %s is CREDENTIALS, nothing sent', async (_, token) => {
    const tokens = { token, renew: token };
    const error = { code: 'CREDENTIALS', httpStatus: null, retryAfterMs: null };
    expect(await create({ tokens, createTimeoutMs: 100 })).toEqual({ kind: 'not-sent', error });
    expect(arrived).toHaveLength(0);
  });
});

test('proxies of the environment are not taken: a token would pass through them', async () => {
  const before = { ...process.env };
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])
    process.env[name] = 'http://127.0.0.1:1';
  process.env['NODE_USE_ENV_PROXY'] = '1';
  try {
    expect((await create()).kind).toBe('answered');
  } finally {
    process.env = before;
  }
});

test('the signer sees the exact request, afresh for a repetition', async () => {
  statuses = [401];
  const signed: SignableRequest[] = [];
  await create({
    baseUrl: `${server.baseUrl}/prefix`,
    tokens: { token: () => Promise.resolve('a'), renew: () => Promise.resolve('b') },
    signer: (request) => {
      signed.push(request);
      return Promise.resolve({ 'X-Signature': `s${signed.length}` });
    },
  });
  expect(arrived.map(({ headers }) => headers['x-signature'])).toEqual(['s1', 's2']);
  expect(signed).toHaveLength(2);
  for (const [i, { method, url, path, query, body }] of signed.entries()) {
    expect([method, path, query]).toEqual(['POST', arrived[i]?.url, '']);
    expect(url).toBe(`${server.baseUrl}${path}`);
    expect(body.equals(arrived[i]!.body)).toBe(true);
  }
});

test.each([
  ['credentials in the address', { baseUrl: 'https://user:pass@127.0.0.1' }],
  ['another protocol', { baseUrl: 'ftp://127.0.0.1' }],
  ['a CA that is no PEM', { baseUrl: 'https://127.0.0.1', caPem: '-----BEGIN CERTIFICATE-----\nnone\n' }],
  ['a header with a line break', { baseUrl: 'https://127.0.0.1', extraHeaders: { 'X-A': 'b\nc' } }],
  ['a header of the connection', { baseUrl: 'https://127.0.0.1', extraHeaders: { 'Content-Length': '3' } }],
  [
    'a pointer that is none',
    { baseUrl: 'https://127.0.0.1', refused: { statuses: [], codePointer: 'code', codes: [] } },
  ],
])('options that cannot work throw at once: %s', (_, options) => {
  expect(() => bankClient(options)).toThrow();
});
