import { writeFileSync } from 'node:fs';
import { ourBank } from '../../src/bank/our-bank';
import { createLogger } from '../../src/telemetry/logger';
import { openBankConnection } from '../../src/context/bank-connection';
import { answerCodes } from '../../src/context';
import { readEnv } from '../../src/config/env';
import { loadSettings } from '../../src/config/settings';
import { bankLookupCheck } from '../../src/doctor/bank-lookup-check';
import { bankTlsCheck, certificatesCheck } from '../../src/doctor/bank-tls-check';
import { bankTokenCheck } from '../../src/doctor/bank-token-check';
import { runChecks } from '../../src/doctor/check-result';
import { createProbe } from '../../src/doctor/tls-probe';
import { TOKEN_PATH, hmacVerifier, makeClientCertificate, startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank, SandboxBankOptions } from '../../src/sandbox-bank';
import { releaseAfterEach } from '../bank/release';
import { deadPort } from '../bank/local-server';
import { temporaryFiles } from '../config/temporary-files';
import { scheme } from '../signing/scheme';

const files = temporaryFiles();
afterAll(() => files.remove());
const release = releaseAfterEach();

const CANARY = 'canary-5c';
const quiet = createLogger({ level: 'silent' });
type Issued = Awaited<ReturnType<typeof makeClientCertificate>>;

let known: Issued;
let stranger: Issued;
let bank: SandboxBank;
let tokenFile: string;
let hmacFile: string;
const request = files.write('request.json', `{"client_secret":"${CANARY}"}`);

const DEFAULT_SCHEME = scheme('{timestamp}\\n{nonce}\\n{method}\\n{path}\\n{bodySha256}');
const secured = (): SandboxBankOptions => ({
  token: CANARY,
  clientCaPem: known.caPem,
  verifySignature: hmacVerifier({ scheme: DEFAULT_SCHEME, secrets: () => [CANARY] }),
});

beforeAll(async () => {
  [known, stranger] = await Promise.all([makeClientCertificate(), makeClientCertificate()]);
});
beforeEach(() => {
  tokenFile = files.write('token', CANARY);
  hmacFile = files.write('hmac', `${CANARY}\n`);
});

async function open(options: SandboxBankOptions = secured()) {
  bank = release(await startSandboxBank(options));
  return bank;
}

const client = (issued: Issued, name: string) => ({
  BANK_CLIENT_CERT_FILE: files.write(`${name}.cert.pem`, issued.certPem),
  BANK_CLIENT_KEY_FILE: files.write(`${name}.key.pem`, issued.keyPem),
});

/** Long enough for a bank on a busy machine to end a connection, and shorter than a check may take. */
const REFUSAL_COMES_MS = 15_000;

/**
 * What doctor says of the bank, as `check: ok|WRONG detail: remedy`; no line may show a secret. `refusalWithinMs`: how
 * long the bank has to end the TLS connection.
 */
async function examine(
  env: Readonly<Record<string, string | undefined>> = {},
  { refusalWithinMs = 200 }: { readonly refusalWithinMs?: number } = {},
) {
  const all = {
    BANK_BASE_URL: bank.baseUrl,
    BANK_CA_FILE: files.write('ca.pem', bank.caPem ?? ''),
    BANK_TOKEN_FILE: tokenFile,
    BANK_HMAC_SECRET_FILE: hmacFile,
    ...client(known, 'known'),
    ...env,
  };
  const { config, secrets } = loadSettings(readEnv(all), ['bank']);
  const failures: string[] = [];
  const connection = release(
    openBankConnection(config.bank, secrets.bank, quiet, { failed: (word) => failures.push(word) }),
  );
  const probe = createProbe(connection, refusalWithinMs);
  const dates: string[] = [];
  const results = await runChecks([
    bankTlsCheck(connection, probe),
    bankTokenCheck(connection, secrets.bank.token, () => failures.at(-1) ?? null),
    bankLookupCheck({
      connection,
      dialect: ourBank.movements,
      authStyle: config.bank.authStyleTransfers,
      timeoutMs: 5_000,
      notFound: answerCodes(config.bank.notFound),
      onDate: (date) => dates.push(date),
    }),
    certificatesCheck(connection, probe),
  ]);
  expect(JSON.stringify(results)).not.toContain(CANARY);
  const [tls, token, lookup, certificates] = results.map(
    ({ ok, detail, remedy }) => `${ok ? 'ok' : 'WRONG'} ${detail}${remedy === null ? '' : `: ${remedy}`}`,
  );
  return { tls, token, lookup, certificates, dates };
}

test('all well, with token, client certificate and signature', async () => {
  await open();
  const seen = await examine();
  expect(seen).toMatchObject({
    tls: `ok TLSv1.3 to ${bank.baseUrl}, our certificate was not refused`,
    token: 'ok there is one, by BANK_TOKEN_FILE',
    lookup:
      'ok the bank accepts token and signature, and knows nothing of an originId that does not exist (HTTP 404)',
    certificates: expect.stringMatching(
      /^ok BANK_CLIENT_CERT_FILE until 20.*, BANK_CA_FILE until 20.*, the bank's own until 20/,
    ) as string,
  });
  expect(seen.dates).toEqual([expect.stringMatching(/ GMT$/)]);
});

test('wrong TLS: no client certificate, reported before any request', async () => {
  await open();
  const without = { BANK_CLIENT_CERT_FILE: undefined, BANK_CLIENT_KEY_FILE: undefined };
  const seen = await examine(without, { refusalWithinMs: REFUSAL_COMES_MS });
  expect(seen.tls).toMatch(
    /^WRONG the bank ended the TLS connection \(\w+\): it wants a client certificate: set/,
  );
  expect(seen.lookup).toMatch(
    /^WRONG the connection was closed after the request was written .* under TLS 1.3 that is how .*: set BANK_CLIENT/,
  );
  expect(bank.book.requests()).toHaveLength(0);
});

test('TLS wrong: a client certificate of another authority', async () => {
  await open();
  const seen = await examine(client(stranger, 'stranger'), { refusalWithinMs: REFUSAL_COMES_MS });
  expect(seen.tls).toMatch(/^WRONG .*: it does not take our certificate: have the bank register/);
});

test('TLS wrong: another authority of the bank, another name, nobody there', async () => {
  await open();
  const ca = files.write('other-ca.pem', stranger.caPem);
  expect((await examine({ BANK_CA_FILE: ca })).tls).toMatch(
    /^WRONG the bank's certificate is of an authority that is not trusted \(\w+\): set BANK_CA_FILE/,
  );
  const elsewhere = `https://127.0.0.2:${bank.port}`;
  expect((await examine({ BANK_BASE_URL: elsewhere })).tls).toMatch(
    /^WRONG (the bank's certificate bears another name|https:\/\/127\.0\.0\.2:\d+ cannot be reached)/,
  );
  const nobody = `https://127.0.0.1:${await deadPort()}`;
  const seen = await examine({ BANK_BASE_URL: nobody });
  expect(seen.tls).toBe(
    `WRONG ${nobody} cannot be reached (ECONNREFUSED): check BANK_BASE_URL, the VPN and the firewall`,
  );
  expect(seen.lookup).toMatch(/^WRONG no answer \(CONNECTION_REFUSED\): fix bank-tls first/);
  expect(seen.certificates).toMatch(
    /^WRONG BANK_CLIENT_CERT_FILE until 20.*, the bank's own was not seen: fix bank-tls first$/,
  );
});

test('token wrong', async () => {
  await open();
  writeFileSync(tokenFile, 'another');
  expect((await examine()).lookup).toMatch(
    /^WRONG the bank refuses the request \(HTTP 401\) as it does a wrong/,
  );
  expect((await examine()).lookup).toMatch(/most likely the token; .*: check the token and BANK_AUTH_STYLE/);
  await open({ ...secured(), verifySignature: null });
  expect((await examine({ BANK_HMAC_SECRET_FILE: undefined })).lookup).toBe(
    'WRONG the bank refuses the token (HTTP 401): check the token and BANK_AUTH_STYLE_TRANSFERS (raw or bearer)',
  );
});

test('signature wrong: another secret, another content', async () => {
  await open();
  writeFileSync(hmacFile, 'another');
  const refused =
    /^WRONG the bank accepts the token and refuses the signature \(HTTP 401\): check BANK_HMAC_SECRET/;
  expect((await examine()).lookup).toMatch(refused);
  writeFileSync(hmacFile, CANARY);
  expect((await examine({ BANK_HMAC_CONTENT: '{body}' })).lookup).toMatch(refused);
});

test('the bank wants signatures and none is configured', async () => {
  await open();
  expect((await examine({ BANK_HMAC_SECRET_FILE: undefined })).lookup).toMatch(
    /^WRONG the bank accepts the token and refuses the request \(HTTP 401\): does the bank want signatures/,
  );
});

test('a token service: well, and with a request that it refuses', async () => {
  await open({
    ...secured(),
    tokenService: { request: () => `{"client_secret":"${CANARY}"}`, lifeMs: 60_000 },
  });
  const service = {
    BANK_TOKEN_FILE: undefined,
    BANK_TOKEN_URL: `${bank.baseUrl}${TOKEN_PATH}`,
    BANK_TOKEN_REQUEST_FILE: request,
  };
  expect(await examine(service)).toMatchObject({
    token: 'ok there is one, by BANK_TOKEN_URL',
    lookup: expect.stringMatching(/^ok the bank accepts token and signature/) as string,
  });
  expect(await examine({ ...service, BANK_TOKEN_REQUEST_FILE: files.write('r', '{}') })).toMatchObject({
    token: expect.stringMatching(/^WRONG the token service gave none \(HTTP_STATUS 401\): check/) as string,
    lookup: 'WRONG not asked: there is no token: fix bank-token',
  });
});

test('a not-found that the configuration does not know as one', async () => {
  await open();
  expect((await examine({ BANK_NOT_FOUND_STATUS: '410' })).lookup).toMatch(
    /^WRONG the bank accepts token and signature, but BANK_NOT_FOUND_… does not list .*HTTP 404.*: check the path of BANK_BASE_URL; set/,
  );
});

test('a token service that cannot be reached is a matter of the connection', async () => {
  await open();
  const service = {
    BANK_TOKEN_FILE: undefined,
    BANK_TOKEN_URL: `https://127.0.0.1:${await deadPort()}/token`,
  };
  expect((await examine(service)).token).toBe(
    'WRONG the token service gave none (CONNECTION_REFUSED): fix bank-tls first; then check BANK_TOKEN_URL',
  );
});

test('an outage is reported as an outage', async () => {
  await open();
  bank.setOutage('http-503');
  expect((await examine()).lookup).toMatch(/^WRONG the bank answers 503 for now: try again later/);
});

test('a check that throws counts as failed, without its message, and the others go on', async () => {
  const results = await runChecks([
    { name: 'first', run: () => Promise.reject(new TypeError(CANARY)) },
    { name: 'second', run: () => Promise.resolve({ ok: true, detail: 'fine', remedy: null }) },
  ]);
  expect(results).toEqual([
    { check: 'first', ok: false, detail: 'failed unexpectedly (TypeError)', remedy: 'report this' },
    { check: 'second', ok: true, detail: 'fine', remedy: null },
  ]);
});
