import type net from 'node:net';
import tls from 'node:tls';
import { makeAuthority, makeServerCertificate } from './certificates';
import type { KeyPair } from './certificates';
import { CANARIES, CREATE_BODY, IN_NO_WORKFLOW, MOVEMENT_TEXT, bankClient } from './fixtures';
import { deadPort, httpsServer, rawTlsServer, serve, tcpServer } from './local-server';
import type { LocalServer } from './local-server';
import { releaseAfterEach } from './release';

/** What each fault of the connection means for a create and a look-up, on real sockets. */

const held = releaseAfterEach();

let ca: KeyPair;
let bank: KeyPair;
let elsewhere: KeyPair;
let stranger: KeyPair;

beforeAll(async () => {
  ca = await makeAuthority('test authority');
  const otherCa = await makeAuthority('another authority');
  bank = await makeServerCertificate(ca, 'loopback');
  elsewhere = await makeServerCertificate(ca, 'elsewhere');
  stranger = await makeServerCertificate(otherCa, 'loopback');
});

interface Fault {
  readonly name: string;
  readonly start: () => Promise<Pick<LocalServer, 'baseUrl' | 'close'>>;
  readonly create: 'not-sent' | 'unknown';
  /** Codes, of which the machine's timing may pick one. */
  readonly codes: readonly string[];
  readonly httpStatus?: number;
  /** Deadline in ms, for faults that only a deadline ends. */
  readonly timeoutMs?: number;
}

const HEAD_200 = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const noServer = (baseUrl: string) => ({ baseUrl, close: () => Promise.resolve() });

const FAULTS: readonly Fault[] = [
  {
    name: 'nothing listens on the port',
    start: async () => noServer(`https://127.0.0.1:${await deadPort()}`),
    create: 'not-sent',
    codes: ['CONNECTION_REFUSED'],
  },
  {
    // Both addresses of the name are tried, and the error is a collection of both.
    name: 'nothing listens on the port of localhost',
    start: async () => noServer(`https://localhost:${await deadPort()}`),
    create: 'not-sent',
    codes: ['CONNECTION_REFUSED'],
  },
  {
    name: 'nothing listens on the port, without TLS',
    start: async () => noServer(`http://127.0.0.1:${await deadPort()}`),
    create: 'not-sent',
    codes: ['CONNECTION_REFUSED'],
  },
  {
    name: 'closed at once, without TLS',
    start: async () => {
      const server = await serve(tcpServer((socket) => socket.destroy()));
      return { ...server, baseUrl: `http://127.0.0.1:${server.port}` };
    },
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
  },
  {
    name: 'the name does not resolve',
    start: () => Promise.resolve(noServer('https://bank.invalid')),
    create: 'not-sent',
    codes: ['NAME_LOOKUP'],
  },
  {
    name: 'the certificate is of another authority',
    start: () => serve(rawTlsServer(stranger, (socket) => socket.destroy())),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    name: 'the certificate is of another authority (TLS 1.2)',
    start: () => serve(rawTlsServer({ ...stranger, maxVersion: 'TLSv1.2' }, (socket) => socket.destroy())),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    name: 'the certificate is for another host',
    start: () => serve(rawTlsServer(elsewhere, (socket) => socket.destroy())),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    name: 'the connection is closed at once',
    start: () => serve(tcpServer((socket) => socket.destroy())),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    name: 'the handshake is cut by a reset',
    start: () => serve(tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    name: 'the server does not speak TLS',
    start: () =>
      serve(tcpServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    name: 'the handshake never ends',
    start: () => serve(tcpServer(() => undefined)),
    create: 'not-sent',
    codes: ['TIMEOUT'],
    timeoutMs: 150,
  },
  {
    name: 'a client certificate is required (TLS 1.2)',
    start: () => serve(requiringClientCertificate('TLSv1.2')),
    create: 'not-sent',
    codes: ['TLS'],
  },
  {
    // The refusal arrives after the request was written: the bank may have read it.
    name: 'a client certificate is required (TLS 1.3)',
    start: () => serve(requiringClientCertificate('TLSv1.3')),
    create: 'unknown',
    codes: ['TLS', 'CONNECTION_LOST'],
  },
  {
    name: 'closed after the request, before an answer',
    start: () => serve(rawTlsServer(bank, (socket) => socket.end())),
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
  },
  {
    name: 'reset after the request, before an answer',
    start: () => serve(tlsOverTcp((plain) => plain.resetAndDestroy())),
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
  },
  {
    name: 'cut within the head',
    start: () => serve(rawTlsServer(bank, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'))),
    create: 'unknown',
    codes: ['CONNECTION_LOST', 'UNREADABLE'],
  },
  {
    name: 'cut within the body, by length',
    start: () =>
      serve(
        rawTlsServer(bank, (socket) => socket.end(`${HEAD_200}Content-Length: 5000\r\n\r\n${MOVEMENT_TEXT}`)),
      ),
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
    httpStatus: 200,
  },
  {
    name: 'cut within the body, by chunks',
    start: () =>
      serve(
        rawTlsServer(bank, (socket) =>
          socket.end(
            `${HEAD_200}Transfer-Encoding: chunked\r\n\r\n${MOVEMENT_TEXT.length.toString(16)}\r\n${MOVEMENT_TEXT}\r\n`,
          ),
        ),
      ),
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
    httpStatus: 200,
  },
  {
    name: 'a refusal cut within the body',
    start: () =>
      serve(
        rawTlsServer(bank, (socket) =>
          socket.end('HTTP/1.1 422 Unprocessable\r\nContent-Length: 50\r\n\r\n{"code":"X'),
        ),
      ),
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
    httpStatus: 422,
  },
  {
    name: 'a not-found cut within the body',
    start: () =>
      serve(
        rawTlsServer(bank, (socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 50\r\n\r\n{}')),
      ),
    create: 'unknown',
    codes: ['CONNECTION_LOST'],
    httpStatus: 404,
  },
  {
    name: 'the answer is not HTTP',
    start: () => serve(rawTlsServer(bank, (socket) => socket.end('220 smtp.example ESMTP\r\n'))),
    create: 'unknown',
    codes: ['UNREADABLE'],
  },
  {
    name: 'the head is too large',
    start: () =>
      serve(rawTlsServer(bank, (socket) => socket.end(`${HEAD_200}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`))),
    create: 'unknown',
    codes: ['UNREADABLE'],
  },
  {
    name: 'the body is 300 KiB',
    start: () =>
      serve(
        httpsServer(bank, (_, response) => {
          response.end(JSON.stringify({ status: 'COMPLETED', padding: 'x'.repeat(300 * 1024) }));
        }),
      ),
    create: 'unknown',
    codes: ['TOO_LARGE'],
    httpStatus: 200,
  },
  {
    name: 'no answer comes',
    start: () => serve(rawTlsServer(bank, () => undefined)),
    create: 'unknown',
    codes: ['TIMEOUT'],
    timeoutMs: 5_000,
  },
  {
    name: 'the body trickles and never ends',
    start: () =>
      serve(
        rawTlsServer(bank, (socket) => {
          socket.write(`${HEAD_200}Content-Length: 100000\r\n\r\n`);
          const drip = setInterval(() => socket.write(' '), 10);
          socket.once('close', () => clearInterval(drip));
        }),
      ),
    create: 'unknown',
    codes: ['TIMEOUT'],
    httpStatus: 200,
    timeoutMs: 5_000,
  },
];

test.each(FAULTS)(
  '$name: create is $create',
  async ({ start, create, codes, httpStatus = null, timeoutMs }) => {
    const server = held(await start());
    const deadlines = timeoutMs === undefined ? {} : { createTimeoutMs: timeoutMs, timeoutMs };
    const client = held(bankClient({ baseUrl: server.baseUrl, caPem: ca.cert, ...deadlines }));
    const created = await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW);
    const found = await client.getMovement({ originId: '4711' }, IN_NO_WORKFLOW);
    expect(created).toEqual({
      kind: create,
      error: { code: oneOf(codes), httpStatus, retryAfterMs: null },
    });
    expect(found).toEqual({
      kind: 'no-answer',
      error: { code: oneOf(codes), httpStatus, retryAfterMs: null },
      ...(create === 'not-sent' ? { isUnsent: true } : {}),
    });
    for (const canary of CANARIES) expect(JSON.stringify([created, found])).not.toContain(canary);
  },
);

/** `not-sent` rests on this: a server whose certificate we refuse gets no byte of the request. */
test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'nothing is written to an unverified server (%s)',
  async (version) => {
    const heard: Buffer[] = [];
    const ended: Promise<void>[] = [];
    const listener = tls.createServer({ ...stranger, minVersion: version, maxVersion: version }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => heard.push(chunk));
    });
    listener.on('connection', (plain: net.Socket) => {
      ended.push(new Promise((resolve) => plain.once('close', () => resolve())));
    });
    const server = held(await serve(listener));
    const client = held(bankClient({ baseUrl: server.baseUrl, caPem: ca.cert }));
    for (let i = 0; i < 20; i++) {
      expect((await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW)).kind).toBe('not-sent');
    }
    await Promise.all(ended);
    expect(server.connections()).toBe(20);
    expect(Buffer.concat(heard)).toHaveLength(0);
  },
);

test('a kept-alive socket that dies under the second request leaves it unknown', async () => {
  let requests = 0;
  const server = held(
    await serve(
      httpsServer(bank, (_, response) => {
        requests += 1;
        if (requests === 1) response.end(MOVEMENT_TEXT);
        else response.socket?.destroy();
      }),
    ),
  );
  const client = held(bankClient({ baseUrl: server.baseUrl, caPem: ca.cert }));
  expect((await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW)).kind).toBe('answered');
  expect(await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW)).toMatchObject({
    kind: 'unknown',
    error: { code: 'CONNECTION_LOST' },
  });
  // Never repeated by the transport itself, and on the same connection.
  expect(requests).toBe(2);
  expect(server.connections()).toBe(1);
});

test('a call that waits for a socket until its deadline was not sent', async () => {
  const server = held(await serve(rawTlsServer(bank, () => undefined)));
  const client = held(
    bankClient({
      baseUrl: server.baseUrl,
      caPem: ca.cert,
      maxSockets: 1,
      timeoutMs: 800,
      createTimeoutMs: 300,
    }),
  );
  const first = client.getMovement({ originId: '1' }, IN_NO_WORKFLOW);
  const second = await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW);
  expect(second).toEqual({
    kind: 'not-sent',
    error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null },
  });
  expect((await first).kind).toBe('no-answer');
});

test('close lets the call in flight end, and then refuses further ones', async () => {
  let release: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    release = resolve;
  });
  let answer: () => void = () => undefined;
  const server = held(
    await serve(
      httpsServer(bank, (_, response) => {
        answer = () => response.end(MOVEMENT_TEXT);
        release();
      }),
    ),
  );
  const client = held(bankClient({ baseUrl: server.baseUrl, caPem: ca.cert }));
  const running = client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW);
  await arrived;
  const closing = client.close();
  answer();
  expect((await running).kind).toBe('answered');
  await closing;
  await expect(client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW)).rejects.toThrow('closed');
});

function requiringClientCertificate(version: 'TLSv1.2' | 'TLSv1.3') {
  return rawTlsServer(
    {
      ...bank,
      ca: ca.cert,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    },
    (socket) => socket.destroy(),
  );
}

/** TLS ended by hand over a plain socket, which can then be reset (RST) after the request has arrived. */
function tlsOverTcp(onRequest: (plain: net.Socket) => void): net.Server {
  return tcpServer((plain) => {
    const secure = new tls.TLSSocket(plain, { isServer: true, ...bank });
    secure.on('error', () => undefined);
    secure.once('data', () => onRequest(plain));
  });
}

const oneOf = (codes: readonly string[]): unknown => expect.stringMatching(`^(${codes.join('|')})$`);
