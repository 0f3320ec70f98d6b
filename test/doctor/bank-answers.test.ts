import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { ourBank } from '../../src/bank/our-bank';
import { openBankConnection } from '../../src/context/bank-connection';
import { readEnv } from '../../src/config/env';
import { loadSettings } from '../../src/config/settings';
import { answerCodes } from '../../src/context';
import { bankLookupCheck } from '../../src/doctor/bank-lookup-check';
import { createLogger } from '../../src/telemetry/logger';
import { serve } from '../bank/local-server';
import { releaseAfterEach } from '../bank/release';
import { temporaryFiles } from '../config/temporary-files';

/** The results of doctor for banks and gateways with unusual refusals and not-founds. */

const files = temporaryFiles();
afterAll(() => files.remove());
const release = releaseAfterEach();

interface Seen {
  readonly isTokenGood: boolean;
  readonly isSignatureGood: boolean;
  readonly isPathGood: boolean;
  /** Of the request, from 1. */
  readonly number: number;
}
type Bank = (seen: Seen) => readonly [status: number, body: unknown];

const SECRET = 'of the bank';
const TOKEN = 'good';

function seenIn({ headers, url }: IncomingMessage, body: string, number: number): Seen {
  const expected = createHmac('sha256', SECRET).update(body).digest('base64');
  return {
    isTokenGood: headers.authorization === TOKEN,
    isSignatureGood: headers['x-signature'] === expected,
    isPathGood: url === '/v2/apibank/movements/get-movement',
    number,
  };
}

const UNSIGNED = {
  BANK_HMAC_SECRET_FILE: undefined,
  BANK_HMAC_CONTENT: undefined,
  BANK_HMAC_ENCODING: undefined,
};

async function examine(bank: Bank, env: Readonly<Record<string, string | undefined>> = {}) {
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      const [status, body] = bank(seenIn(request, Buffer.concat(chunks).toString(), requests));
      const isPage = typeof body === 'string';
      response.writeHead(status, { 'Content-Type': isPage ? 'text/html' : 'application/json' });
      response.end(isPage ? body : JSON.stringify(body));
    });
  });
  const { port } = release(await serve(server));
  const settings = {
    BANK_BASE_URL: `http://127.0.0.1:${port}`,
    BANK_TOKEN: TOKEN,
    BANK_HMAC_SECRET_FILE: files.write('secret', SECRET),
    BANK_HMAC_CONTENT: '{body}',
    BANK_HMAC_ENCODING: 'base64',
    ...env,
  };
  const { config, secrets } = loadSettings(readEnv(settings), ['bank']);
  const connection = release(
    openBankConnection(config.bank, secrets.bank, createLogger({ level: 'silent' })),
  );
  const { ok, detail, remedy } = await bankLookupCheck({
    connection,
    dialect: ourBank.movements,
    authStyle: config.bank.authStyleTransfers,
    timeoutMs: 5_000,
    notFound: answerCodes(config.bank.notFound),
    onDate: () => undefined,
  }).run();
  return `${ok ? 'ok' : 'WRONG'} ${detail}: ${remedy ?? ''}`;
}

const WRONG_SECRET = { BANK_HMAC_SECRET_FILE: files.write('other', 'another') };
const NOT_FOUND = [404, { code: 'MOVEMENT_NOT_FOUND' }] as const;
/** Checks token, then signature, with the configured answers. */
const checking =
  (badToken: ReturnType<Bank>, badSignature: ReturnType<Bank>, found: ReturnType<Bank> = NOT_FOUND): Bank =>
  ({ isTokenGood, isSignatureGood, isPathGood }) => {
    if (!isTokenGood) return badToken;
    if (!isSignatureGood) return badSignature;
    return isPathGood ? found : [404, { message: 'no such service' }];
  };

test.each([
  ['JSON', [404, { message: 'no Route matched with those values' }]],
  ['no body to speak of', [404, {}]],
] as const)('a gateway that knows no such path, with %s, is not all well', async (_, answer) => {
  expect(await examine(() => answer)).toMatch(
    /^WRONG a wrong token or signature gets HTTP 404 too, and so does a path that does not exist.*: check the path of BANK_BASE_URL/,
  );
  expect(await examine(() => answer, UNSIGNED)).toMatch(/^WRONG a wrong token gets HTTP 404 too, and/);
});

test('a path that is only repeated in the answer does not make a difference', async () => {
  const gateway: Bank = ({ isPathGood }) => {
    const name = isPathGood ? 'get-movement' : 'giro-doctor-no-such-service';
    return [404, { at: new Date().toISOString(), path: `/v2/apibank/movements/${name}` }];
  };
  expect(await examine(gateway)).toMatch(/^WRONG .*: check the path of BANK_BASE_URL/);
});

test('a bank that checks neither token nor signature: nothing unproven is claimed', async () => {
  const blind: Bank = ({ isPathGood }) => (isPathGood ? NOT_FOUND : [404, { message: 'no such service' }]);
  expect(await examine(blind)).toBe(
    'ok the bank knows nothing of an originId that does not exist (HTTP 404), but says so with a wrong token or signature too: whether the token or signature is right remains open: ',
  );
});

test('a refusal that BANK_NOT_FOUND_STATUS was made to list is no not-found', async () => {
  const bank = checking([401, { e: 'token' }], [400, { error: 'invalid signature' }]);
  expect(await examine(bank, { ...WRONG_SECRET, BANK_NOT_FOUND_STATUS: '400,404' })).toMatch(
    /^WRONG a wrong signature gets HTTP 400 too: BANK_NOT_FOUND_… may list .*: ask the bank .*BANK_HMAC_SECRET_FILE/,
  );
});

test.each([400, 404, 422, 200])(
  'a signature that is refused with %i: never BANK_NOT_FOUND_…',
  async (status) => {
    const bank = checking([401, { e: 'token' }], [status, { error: 'invalid signature' }]);
    const notListed = { BANK_NOT_FOUND_STATUS: '410' };
    const result = await examine(bank, { ...WRONG_SECRET, ...notListed });
    expect(result).toBe(
      `WRONG the bank accepts the token and refuses the signature (HTTP ${status}): check BANK_HMAC_SECRET_FILE, BANK_HMAC_SCHEME, the other BANK_HMAC_… variables, and the clock`,
    );
  },
);

test.each([400, 422])('a token that is refused with %i', async (status) => {
  const bank: Bank = ({ isTokenGood, isSignatureGood, isPathGood }) => {
    if (!isSignatureGood) return [400, { error: 'signature' }];
    if (!isTokenGood) return [status, { error: 'token' }];
    return isPathGood ? NOT_FOUND : [404, {}];
  };
  expect(await examine(bank, { BANK_TOKEN: 'bad' })).toMatch(
    new RegExp(
      `^WRONG the bank accepts the signature and refuses the token \\(HTTP ${status}\\): check the token`,
    ),
  );
});

test('reasons written as numbers are distinguished', async () => {
  const bank = checking([401, { code: 4011 }], [401, { code: 4012 }]);
  expect(await examine(bank, WRONG_SECRET)).toMatch(
    /^WRONG the bank accepts the token and refuses the signature/,
  );
  expect(await examine(bank, { BANK_TOKEN: 'bad' })).toMatch(/^WRONG .* most likely the token/);
});

test('differences between any two answers mean nothing: times, counters, ids', async () => {
  const bank: Bank = (seen) => {
    const { number } = seen;
    const passing = { number, id: Math.random().toString(36), at: new Date().toISOString() };
    const [status, body] = checking([401, { e: 'no' }], [401, { e: 'no' }])(seen);
    return [status, { ...(body as object), ...passing }];
  };
  expect(await examine(bank, WRONG_SECRET)).toMatch(/^WRONG .* do not tell token and signature apart/);
});

test('nginx that misses the client certificate', async () => {
  const page = '<html><head><title>400 No required SSL certificate was sent</title></head></html>';
  expect(await examine(() => [400, page])).toMatch(
    /^WRONG the bank's web server, or one in front of it, answers HTTP 400: .*: set BANK_CLIENT_CERT_FILE/,
  );
});

test('"not known" in a form that is not listed: only then BANK_NOT_FOUND_…', async () => {
  const bank = checking([401, {}], [401, { e: 1 }], [400, { code: 'UNKNOWN_ID' }]);
  expect(await examine(bank)).toMatch(
    /^WRONG the bank accepts token and signature, but BANK_NOT_FOUND_… does not list .*HTTP 400.*: check the path .*; set BANK_NOT_FOUND_STATUS/,
  );
  expect(await examine(bank, UNSIGNED)).toMatch(
    /^WRONG the bank accepts the token and refuses .*does the bank want/,
  );
});

test('an answer to whatever is asked', async () => {
  expect(await examine(() => [400, { error: 'bad request' }])).toMatch(
    /^WRONG every request gets HTTP 400, also .*: check the path of BANK_BASE_URL; else check the token/,
  );
});

test.each([429, 502, 503, 504])('an overload in between, %i: asked again, not guessed', async (status) => {
  expect(await examine(({ number }) => (number > 2 ? [status, {}] : NOT_FOUND))).toMatch(
    /^WRONG .*could not be distinguished: run doctor again/,
  );
  const blind: Bank = ({ isTokenGood, isSignatureGood }) =>
    isTokenGood && isSignatureGood ? NOT_FOUND : [status, {}];
  expect(await examine(blind)).toMatch(/^WRONG .*could not be distinguished: run doctor again/);
});

test('a gateway that answers 503 at an unknown path', async () => {
  const bank: Bank = (seen) =>
    seen.isPathGood ? checking([401, {}], [401, {}])(seen) : [503, 'no healthy upstream'];
  expect(await examine(bank)).toMatch(/^ok the bank accepts token and signature/);
});
