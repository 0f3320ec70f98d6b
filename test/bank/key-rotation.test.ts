import { X509Certificate, createPrivateKey } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { openBankConnection } from '../../src/context/bank-connection';
import { ourBank } from '../../src/bank/our-bank';
import { createHttpBankClient } from '../../src/bank/http-bank-client';
import { DEFAULT_NOT_FOUND, DEFAULT_REFUSED } from '../../src/bank/http/answer-codes';
import { readEnv } from '../../src/config/env';
import { loadSettings } from '../../src/config/settings';
import { TOKEN_PATH, hmacVerifier, messageVerifier, startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBankOptions } from '../../src/sandbox-bank';
import { createLogger } from '../../src/telemetry/logger';
import { temporaryFiles } from '../config/temporary-files';
import { scheme } from '../signing/scheme';
import { makeAuthority, makeServerCertificate } from './certificates';
import type { KeyPair } from './certificates';
import { CREATE_BODY, IN_NO_WORKFLOW, MOVEMENT_TEXT } from './fixtures';
import { httpsServer, rawTlsServer, serve } from './local-server';
import { releaseAfterEach } from './release';

/** Each change of keys that docs/security.md describes, on real files and sockets; only the watch's clock is turned. */

const held = releaseAfterEach();
const files = temporaryFiles();
afterAll(() => files.remove());

let authority: KeyPair;
let newAuthority: KeyPair;
let bankKeys: KeyPair;
let own: KeyPair;
let next: KeyPair;
beforeAll(async () => {
  [authority, newAuthority] = await Promise.all([makeAuthority('one'), makeAuthority('another')]);
  [bankKeys, own, next] = await Promise.all([
    makeServerCertificate(authority, 'loopback'),
    makeServerCertificate(authority, 'loopback'),
    makeServerCertificate(authority, 'loopback'),
  ]);
});
// Only the re-reading of the files; sockets and deadlines keep their own clock.
beforeEach(() => jest.useFakeTimers({ doNotFake: [...EVERYTHING_ELSE] }));
afterEach(() => jest.useRealTimers());
const EVERYTHING_ELSE = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];

/** Two readings of the files, which is what a change takes. */
const filesAreRead = () => jest.advanceTimersByTime(2 * 2_000 + 100);

/** As docs/security.md says: beside the old one, and over it in one step. */
function moveOver(path: string, content: string): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function open(env: Readonly<Record<string, string>>) {
  const { config, secrets } = loadSettings(readEnv(env), ['bank']);
  const log: Record<string, unknown>[] = [];
  const destination = new PassThrough();
  destination.on('data', (line: Buffer) => log.push(JSON.parse(line.toString()) as Record<string, unknown>));
  const logger = createLogger({ level: 'info', destination });
  const client = held(
    createHttpBankClient({
      connection: openBankConnection(config.bank, secrets.bank, logger),
      authStyleTransfers: 'raw',
      createTimeoutMs: 20_000,
      timeoutMs: 20_000,
      refused: DEFAULT_REFUSED,
      notFound: DEFAULT_NOT_FOUND,
      sendWorkflowTime: false,
      dialect: ourBank,
    }),
  );
  return {
    log,
    messages: () => log.map(({ msg }) => msg),
    create: async () => {
      const reply = await client.createTransfer(CREATE_BODY, IN_NO_WORKFLOW);
      return 'error' in reply ? `${reply.kind} ${reply.error.code}` : reply.kind;
    },
    ask: async () => {
      const reply = await client.getMovement({ originId: '1' }, IN_NO_WORKFLOW);
      return 'error' in reply ? `${reply.kind} ${reply.error.httpStatus ?? reply.error.code}` : reply.kind;
    },
  };
}

test('client certificate: a call in flight ends, the next one shows the new certificate', async () => {
  const shown: string[] = [];
  const waiting: (() => void)[] = [];
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const server = httpsServer(
    { ...bankKeys, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (_, response) => {
      shown.push(new X509Certificate((response.socket as TLSSocket).getPeerCertificate().raw).fingerprint256);
      if (shown.length > 1) return void response.end(MOVEMENT_TEXT);
      waiting.push(() => response.end(MOVEMENT_TEXT));
      arrive();
    },
  );
  const { baseUrl } = held(await serve(server));
  const cert = files.write('own.cert.pem', own.cert);
  const key = files.write('own.key.pem', own.key);
  const bank = open({
    BANK_BASE_URL: baseUrl,
    BANK_CA_FILE: files.write('ca.pem', authority.cert),
    BANK_TOKEN: 'token',
    BANK_CLIENT_CERT_FILE: cert,
    BANK_CLIENT_KEY_FILE: key,
  });

  const inFlight = bank.create();
  await arrived;
  moveOver(cert, next.cert);
  filesAreRead();
  // The key is still that of the old one: the pair before stays.
  expect(bank.messages()).toEqual([
    'certificates and keys of the bank cannot be used as they are now; those before stay',
  ]);
  expect(await bank.create()).toBe('answered');
  moveOver(key, next.key);
  filesAreRead();
  expect(bank.messages().at(-1)).toBe(
    'certificates and keys of the bank were read again: new calls use them',
  );
  expect(await bank.create()).toBe('answered');
  for (const answer of waiting) answer();
  expect(await inFlight).toBe('answered');
  const [old, fresh] = [own, next].map(({ cert: pem }) => new X509Certificate(pem).fingerprint256);
  expect(shown).toEqual([old, old, fresh]);
});

test('a key under another passphrase: the old one stays until both files have changed', async () => {
  const locked = (pem: string, passphrase: string): string =>
    createPrivateKey(pem).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase,
    }) as string;
  const server = httpsServer(
    { ...bankKeys, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (_, response) => void response.setHeader('Connection', 'close').end(MOVEMENT_TEXT),
  );
  const { baseUrl } = held(await serve(server));
  const key = files.write('locked.key.pem', locked(own.key, 'first canary'));
  const passphrase = files.write('passphrase', 'first canary\n');
  const bank = open({
    BANK_BASE_URL: baseUrl,
    BANK_CA_FILE: files.write('ca.pem', authority.cert),
    BANK_TOKEN: 'token',
    BANK_CLIENT_CERT_FILE: files.write('locked.cert.pem', own.cert),
    BANK_CLIENT_KEY_FILE: key,
    BANK_CLIENT_KEY_PASSPHRASE_FILE: passphrase,
  });

  expect(await bank.create()).toBe('answered');
  moveOver(passphrase, 'second canary\n');
  filesAreRead();
  expect(bank.log).toEqual([
    expect.objectContaining({
      level: 'error',
      reason: 'BANK_CLIENT_KEY_PASSPHRASE_FILE: does not open the key of the file ' + key,
    }),
  ]);
  expect(await bank.create()).toBe('answered');
  moveOver(key, locked(own.key, 'second canary'));
  filesAreRead();
  expect(bank.messages().at(-1)).toBe(
    'certificates and keys of the bank were read again: new calls use them',
  );
  expect(await bank.create()).toBe('answered');
  expect(JSON.stringify(bank.log)).not.toContain('canary');
});

test('the bank’s authority: both in one file while the bank changes, then the new one alone', async () => {
  const renewed = await makeServerCertificate(newAuthority, 'loopback');
  // Each call makes a connection of its own.
  const server = httpsServer(bankKeys, (_, response) => {
    response.setHeader('Connection', 'close').end(MOVEMENT_TEXT);
  });
  const { baseUrl } = held(await serve(server));
  const ca = files.write('changing-ca.pem', authority.cert);
  const bank = open({ BANK_BASE_URL: baseUrl, BANK_CA_FILE: ca, BANK_TOKEN: 'token' });

  expect(await bank.create()).toBe('answered');
  moveOver(ca, `${authority.cert}\n${newAuthority.cert}`);
  filesAreRead();
  expect(await bank.create()).toBe('answered');
  server.setSecureContext(renewed);
  expect(await bank.create()).toBe('answered');
  moveOver(ca, newAuthority.cert);
  filesAreRead();
  expect(await bank.create()).toBe('answered');
  server.setSecureContext(bankKeys);
  expect(await bank.create()).toBe('not-sent TLS');
});

async function sandbox(options: SandboxBankOptions) {
  const bank = held(await startSandboxBank(options));
  return { BANK_BASE_URL: bank.baseUrl, BANK_CA_FILE: files.write('sandbox-ca.pem', bank.caPem ?? '') };
}

test('HMAC secret: the bank accepts both, ours changes, the bank drops the old one', async () => {
  const DEFAULT = scheme('{timestamp}\\n{nonce}\\n{method}\\n{path}\\n{bodySha256}');
  let accepted = ['old secret'];
  const where = await sandbox({
    verifySignature: hmacVerifier({ scheme: DEFAULT, secrets: () => accepted }),
  });
  const secret = files.write('hmac-secret', 'old secret\n');
  const bank = open({ ...where, BANK_TOKEN: 'token', BANK_HMAC_SECRET_FILE: secret });

  expect(await bank.ask()).toBe('not-found');
  accepted = ['old secret', 'new secret'];
  moveOver(secret, 'new secret\n');
  filesAreRead();
  expect(bank.messages()).toEqual(['BANK_HMAC_SECRET_FILE was read again: new calls are signed with it']);
  accepted = ['new secret'];
  expect(await bank.ask()).toBe('not-found');
  accepted = ['old secret'];
  expect(await bank.ask()).toBe('no-answer 401');
});

test('a bank that wants HTTP Message Signatures', async () => {
  const where = await sandbox({ verifySignature: messageVerifier({ secrets: () => ['secret'] }) });
  const signed = { ...where, BANK_TOKEN: 'token', BANK_HMAC_SECRET_FILE: files.write('secret', 'secret\n') };
  const bank = open({ ...signed, BANK_HMAC_SCHEME: 'rfc9421', BANK_HMAC_KEY_ID: 'giro' });
  expect(await bank.ask()).toBe('not-found');
  expect(await bank.create()).toBe('answered');
  expect(await open(signed).ask()).toBe('no-answer 401');
});

test('token in a file: the next call has the new one', async () => {
  let token = 'old token';
  const where = await sandbox({ token: () => token });
  const file = files.write('token', token);
  const bank = open({ ...where, BANK_TOKEN_FILE: file });

  expect(await bank.ask()).toBe('not-found');
  token = 'new token';
  expect(await bank.ask()).toBe('no-answer 401');
  moveOver(file, 'new token\n');
  expect(await bank.ask()).toBe('not-found');
});

test('token service: the next renewal sends the new body', async () => {
  let expected = '{"client_secret":"old"}';
  const bankOptions = { tokenService: { request: () => expected, lifeMs: 60_000 } };
  const sandboxBank = held(await startSandboxBank(bankOptions));
  const request = files.write('token-request.json', expected);
  const bank = open({
    BANK_BASE_URL: sandboxBank.baseUrl,
    BANK_CA_FILE: files.write('sandbox-ca.pem', sandboxBank.caPem ?? ''),
    BANK_TOKEN_URL: `${sandboxBank.baseUrl}${TOKEN_PATH}`,
    BANK_TOKEN_REQUEST_FILE: request,
  });

  expect(await bank.ask()).toBe('not-found');
  expected = '{"client_secret":"new"}';
  moveOver(request, expected);
  // The token that is held goes on; the renewal after its 401 has the new body.
  expect(await bank.ask()).toBe('not-found');
  sandboxBank.tokens?.revokeAll();
  expect(await bank.ask()).toBe('not-found');
  expect(bank.log).toEqual([]);
});

describe('a client certificate that is wanted and not shown, under TLS 1.3', () => {
  const wanting = () =>
    rawTlsServer(
      {
        ...bankKeys,
        ...{ ca: authority.cert, requestCert: true, rejectUnauthorized: true },
        ...{ minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
      },
      (socket) => socket.destroy(),
    );

  test('is an unknown outcome, and is logged once with what to do', async () => {
    const { baseUrl } = held(await serve(wanting()));
    const bank = open({
      BANK_BASE_URL: baseUrl,
      BANK_CA_FILE: files.write('ca.pem', authority.cert),
      BANK_TOKEN: 'token',
    });
    for (let i = 0; i < 3; i++) expect(await bank.create()).toMatch(/^unknown (TLS|CONNECTION_LOST)$/);
    expect(bank.log).toEqual([
      expect.objectContaining({
        level: 'warn',
        origin: baseUrl,
        remedy: 'set BANK_CLIENT_CERT_FILE and BANK_CLIENT_KEY_FILE, if the bank wants them',
        msg: expect.stringMatching(/TLS 1\.3 .* client certificate; `giro doctor` tells more$/) as string,
      }),
    ]);
  });
});
