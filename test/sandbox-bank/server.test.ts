import { createHmac } from 'node:crypto';
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import pino from 'pino';
import { generate } from 'selfsigned';
import type { SandboxBank } from '../../src/sandbox-bank';
import { announceSandboxBank, startSandboxBank } from '../../src/sandbox-bank';
import { call, create, CREATE, failure, orderText, query, until, withBank } from './client';

const authorized = (authorization: string | null) => ({
  headers: { 'content-type': 'application/json', ...(authorization === null ? {} : { authorization }) },
});

test.each([
  ['secret', 200],
  ['Bearer secret', 200],
  ['Bearer other', 401],
  ['bearer secret', 401],
  ['secret ', 200], // HTTP trims a header's value
  ['', 401],
  [null, 401],
])('token: Authorization %j is answered %i', async (authorization, status) => {
  await withBank(
    [],
    async (bank) => {
      expect((await create(bank, {}, authorized(authorization))).status).toBe(status);
      expect((await query(bank, '1', authorized(authorization))).status).toBe(status === 401 ? 401 : 404);
      expect(bank.book.movements()).toHaveLength(status === 200 ? 1 : 0);
      expect((await call(bank, '/sandbox/requests', { method: 'GET', headers: {} })).status).toBe(200);
    },
    { token: 'secret' },
  );
});

test('the certificate made at start is good for loopback names and the given ones, under its own CA only', async () => {
  await withBank(
    [],
    async (bank) => {
      expect(new URL(bank.baseUrl)).toMatchObject({ protocol: 'https:', port: String(bank.port) });
      expect(new X509Certificate(bank.caPem!).ca).toBe(true);
      expect(bank.caPem).toMatch(/\n$/);
      for (const servername of ['localhost', 'bank.internal'])
        expect((await create(bank, {}, { tls: { servername } })).status).toBe(200);
      const other = await failure(create(bank, {}, { tls: { servername: 'elsewhere.internal' } }));
      expect(other).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
      const untrusting = await startSandboxBank();
      try {
        const stranger = { ca: untrusting.caPem! };
        expect(await failure(create(bank, {}, { tls: stranger }))).toMatch(
          /SIGNATURE_FAILURE|UNABLE_TO_VERIFY|SELF_SIGNED/,
        );
      } finally {
        await untrusting.close();
      }
    },
    { tls: true, dnsNames: ['bank.internal'] },
  );
});

async function clientCertificate() {
  const ca = await generate([{ name: 'commonName', value: 'client CA' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const client = await generate([{ name: 'commonName', value: 'giro' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'extKeyUsage', clientAuth: true }],
  });
  return { caPem: ca.cert, key: client.private, cert: client.cert };
}

test('mutual TLS: only clients with a certificate of the CA get through', async () => {
  const [known, stranger] = await Promise.all([clientCertificate(), clientCertificate()]);
  await withBank(
    [],
    async (bank) => {
      expect((await create(bank, {}, { tls: { key: known.key, cert: known.cert } })).status).toBe(200);
      expect(await failure(create(bank))).not.toMatch(/^answered/);
      expect(
        await failure(create(bank, {}, { tls: { key: stranger.key, cert: stranger.cert } })),
      ).not.toMatch(/^answered/);
      // Refused below HTTP: nothing to log.
      expect(bank.book.requests()).toHaveLength(1);
    },
    { tls: true, clientCaPem: known.caPem },
  );
  await expect(startSandboxBank({ tls: false, clientCaPem: known.caPem })).rejects.toThrow('need TLS');
});

test('signatures are verified over the bytes that came', async () => {
  const sign = (body: string) =>
    createHmac('sha256', 'key').update(`POST\n${CREATE}?v=1\n${body}`).digest('hex');
  await withBank(
    [],
    async (bank) => {
      const send = (signature: string) =>
        call(bank, `${CREATE}?v=1`, {
          body: orderText(),
          headers: { 'content-type': 'application/json', 'x-signature': signature },
        });
      const wrong = await send(sign(`${orderText()} `));
      expect([wrong.status, wrong.json.code]).toEqual([401, 'BAD_SIGNATURE']);
      expect(bank.book.movements()).toEqual([]);
      expect((await send(sign(orderText()))).status).toBe(200);
    },
    {
      verifySignature: ({ method, url, headers, body }) =>
        headers['x-signature'] ===
        createHmac('sha256', 'key').update(`${method}\n${url}\n`).update(body).digest('hex'),
    },
  );
});

test('a supplied certificate is served', async () => {
  const { private: keyPem, cert: certPem } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  await withBank(
    [],
    async (bank) => {
      expect(bank.caPem).toBe(certPem);
      expect((await create(bank)).status).toBe(200);
    },
    { tls: { keyPem, certPem, caPem: certPem } },
  );
});

/** Open connections in each state a client can be in, and what they end in. */
async function occupy(bank: SandboxBank): Promise<{ sockets: Socket[]; held: Promise<string> }> {
  const idle = connect(bank.port, '127.0.0.1');
  const handshaken = connectTls({ port: bank.port, host: '127.0.0.1', ca: bank.caPem! });
  await new Promise((resolve) => handshaken.once('secureConnect', resolve));
  for (const socket of [idle, handshaken]) socket.on('error', () => undefined);
  const held = failure(create(bank));
  const slow = failure(create(bank, { originId: '2' }));
  await until(() => bank.book.requests().filter(({ outcome }) => outcome !== 'pending').length === 2);
  return { sockets: [idle, handshaken], held: Promise.all([held, slow]).then((ends) => ends.join()) };
}

test('close ends every connection at once: idle, held, slow, and before the TLS handshake', async () => {
  const bank = await startSandboxBank({
    rules: [
      { match: { originId: 2 }, create: [{ fault: 'slow', delayMs: 600_000 }] },
      { create: [{ fault: 'timeout-before', holdMs: 600_000 }] },
    ],
  });
  const { sockets, held } = await occupy(bank);
  const gone = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  await bank.close();
  await gone;
  expect(await held).toBe('ECONNRESET,ECONNRESET');
  expect(await failure(create(bank))).toBe('ECONNREFUSED');
  expect(bank.book.requests().every(({ finishedAt, status }) => finishedAt !== null && status === null)).toBe(
    true,
  );
});

test('a port in use is reported at once', async () => {
  await withBank([], async (bank) => {
    await expect(startSandboxBank({ port: bank.port, tls: false })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

test('the log has the address and the actions of the bank, and nothing of bodies or tokens', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  await withBank(
    [],
    async (bank) => {
      announceSandboxBank(bank, logger, {});
      await create(bank, {}, authorized('secret'));
      await until(() => lines.length === 2);
      expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'ready', baseUrl: bank.baseUrl });
      expect(JSON.parse(lines[1]!)).toMatchObject({
        msg: 'request',
        originId: '4711',
        status: 200,
        outcome: 'ok',
      });
      expect(lines.join('')).not.toMatch(/secret|1500|0009001600000000000017|30714979732/);
    },
    { token: 'secret', logger },
  );
});
