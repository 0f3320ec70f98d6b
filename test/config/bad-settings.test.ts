import { ConfigError } from '../../src/config/config-error';
import { loadSettings } from '../../src/config/settings';
import type { Need } from '../../src/config/settings';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

/** In every value that may not be repeated. */
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
const CANARY = 'canary-7f3a';

const NEEDS: readonly Need[] = [
  'logging',
  'tracing',
  'temporal',
  'journal',
  'bank',
  'orderLimits',
  'transferSettings',
  'worker',
];
const GOOD = {
  DATABASE_URL: `postgres://giro:${CANARY}@127.0.0.1/giro`,
  BANK_BASE_URL: 'https://bank.example',
  BANK_TOKEN: CANARY,
};

const missing = `${files.directory}/missing`;
const empty = files.write('empty', '');
const lineFeed = files.write('line-feed', '\n');
const large = files.write('large', 'x'.repeat(256 * 1024 + 1));
const binary = files.write('binary', Uint8Array.of(0xff, 0xfe, 0x00));
const twoLines = files.write('two-lines', `${CANARY}\n${CANARY}\n`);
const noJson = files.write('no-json', `{"X-Secret": "${CANARY}"`);
const jsonList = files.write('json-list', '[]');
const reservedHeader = files.write('reserved', `{"AUTHORIZATION":"${CANARY}"}`);
const headerTwice = files.write('twice', '{"X-A":"1","x-a":"2"}');
const headerName = files.write('header-name', '{"X A":"1"}');
const headerNumber = files.write('header-number', '{"X-A":1}');
const headerBreak = files.write('header-break', `{"X-A":"1\\r\\nX-B: ${CANARY}"}`);
const badCertificate = files.write(
  'bad.pem',
  '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
);
const key = files.write('key.pem', `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----\n`);
const brokenToml = files.write('broken.toml', `[profile.default]\napi_key = "${CANARY}\n`);
const toml = files.write('temporal.toml', '[profile.default]\naddress = "here:and:there"\n');

const nonceHeader = files.write('nonce-header', '{"x-nonce":"1"}');

const TOKEN_SERVICE = { BANK_TOKEN: undefined, BANK_TOKEN_URL: 'https://id.example/token?grant=1' };
const SIGNED = { BANK_HMAC_SECRET_FILE: key };

type Row = [settings: Record<string, string | undefined>, message: string];

const ROWS: readonly Row[] = [
  // Required
  [{ DATABASE_URL: undefined }, 'DATABASE_URL is not set: required; allowed: postgres://HOST'],
  [{ BANK_BASE_URL: undefined }, 'BANK_BASE_URL is not set: required; allowed: https://HOST'],
  [
    { BANK_TOKEN: undefined },
    'BANK_TOKEN is not set: no source of the access token is configured; allowed: exactly one',
  ],
  // Process
  [
    { LOG_LEVEL: 'verbose' },
    'LOG_LEVEL is "verbose": not one of the allowed values; allowed: fatal, error, warn, info',
  ],
  [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL is "INFO": not one of the allowed values'],
  [{ GIRO_TASK_QUEUE: 'a\u0007b' }, 'GIRO_TASK_QUEUE is "a\\u0007b": contains control characters'],
  [{ GIRO_TASK_QUEUE: ' giro' }, 'GIRO_TASK_QUEUE is " giro": begins or ends with a space'],
  [{ GIRO_TASK_QUEUE: '/_sys/giro' }, 'GIRO_TASK_QUEUE is "/_sys/giro": begins with /_sys/'],
  [{ GIRO_TASK_QUEUE: 'q'.repeat(201) }, 'GIRO_TASK_QUEUE is (set, not shown): longer than 200 characters'],
  [{ GIRO_HTTP_ADDRESS: '9464' }, 'GIRO_HTTP_ADDRESS is "9464": not host:port; allowed: host:port'],
  [{ GIRO_HTTP_ADDRESS: 'localhost:70000' }, 'GIRO_HTTP_ADDRESS is "localhost:70000": has a port over 65535'],
  [
    { GIRO_HTTP_ADDRESS: 'http://localhost:9464' },
    'GIRO_HTTP_ADDRESS is "http://localhost:9464": not host:port',
  ],
  [
    { GIRO_DEPLOYMENT_NAME: 'giro.prod', GIRO_BUILD_ID: '1' },
    'GIRO_DEPLOYMENT_NAME is "giro.prod": has characters that a name here may not have',
  ],
  [
    { GIRO_DEPLOYMENT_NAME: 'giro', GIRO_BUILD_ID: 'a b' },
    'GIRO_BUILD_ID is "a b": has characters that a name here may not have',
  ],
  [{ GIRO_DEPLOYMENT_NAME: 'giro' }, 'GIRO_DEPLOYMENT_NAME is "giro": set without GIRO_BUILD_ID'],
  [{ GIRO_BUILD_ID: '1.2.3' }, 'GIRO_BUILD_ID is "1.2.3": set without GIRO_DEPLOYMENT_NAME'],
  [
    { GIRO_SANDBOX: 'true' },
    'GIRO_SANDBOX is "true": not one of the allowed values; allowed: 1, only with a bank on loopback',
  ],
  [{ GIRO_SANDBOX: '1' }, 'GIRO_SANDBOX is "1": the bank of BANK_BASE_URL is not on loopback'],
  // Tracing
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318": not an http:// or https:// address',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://me:${CANARY}@collector:4318` },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "http://…@collector:4318": has a user or password',
  ],
  [
    { ...COLLECTOR, OTEL_EXPORTER_OTLP_HEADERS: `authorization ${CANARY}` },
    'OTEL_EXPORTER_OTLP_HEADERS is (set, not shown): entry 1 is not name=value',
  ],
  [
    { ...COLLECTOR, OTEL_EXPORTER_OTLP_HEADERS: `a=1,b=%${CANARY}` },
    'OTEL_EXPORTER_OTLP_HEADERS is (set, not shown): entry 2 has a % that is not followed',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector:4318?api-key=${CANARY}` },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "http://collector:4318?…": has a query or fragment',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' http://collector' },
    'is " http://collector": not an http:// or https://',
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http:collector' }, 'is "http:collector": not an http:// or https://'],
  [
    { ...COLLECTOR, OTEL_EXPORTER_OTLP_HEADERS: `a=1,b=${CANARY}%0A` },
    'OTEL_EXPORTER_OTLP_HEADERS is (set, not shown): entry 2 is not printable ASCII text',
  ],
  [{ ...COLLECTOR, OTEL_SERVICE_NAME: 'a b' }, 'OTEL_SERVICE_NAME is "a b": not a word'],
  [
    { ...COLLECTOR, OTEL_TRACES_SAMPLER_ARG: '1.5' },
    'OTEL_TRACES_SAMPLER_ARG is "1.5": not a number from 0 to 1',
  ],
  // Journal
  [
    { DATABASE_URL: `mysql://u:${CANARY}@h/d` },
    'DATABASE_URL is (set, not shown): not a postgres:// address',
  ],
  [
    { DATABASE_URL: `host=db password=${CANARY}` },
    'DATABASE_URL is (set, not shown): not a postgres:// address',
  ],
  [
    { DATABASE_URL: `postgres://u:${CANARY}@h:port/d` },
    'DATABASE_URL is (set, not shown): not a well-formed address',
  ],
  [
    { DATABASE_URL: `postgres://u:${CANARY}%@h/d` },
    'DATABASE_URL is (set, not shown): has a % that is not followed',
  ],
  [{ DATABASE_URL: `postgres://u:${CANARY}@h` }, 'DATABASE_URL is (set, not shown): names no database'],
  [{ DATABASE_URL: `postgres://u@h/d#${CANARY}` }, 'DATABASE_URL is (set, not shown): has a fragment'],
  [
    { DATABASE_URL: 'postgres://u@127.0.0.1/d?port=abc' },
    'has as port what is refused: is not a whole number',
  ],
  [
    { DATABASE_URL: 'postgres://u@127.0.0.1/d?port=65536' },
    'has as port what is refused: is not between 1 and',
  ],
  [
    { DATABASE_URL: `postgres://u@127.0.0.1/d?sslrootcert=${missing}` },
    `has as sslrootcert what is refused: the file ${missing} does not exist`,
  ],
  [
    { DATABASE_URL: `postgres://u@127.0.0.1/d?sslcert=${files.directory}` },
    `has as sslcert what is refused: the file ${files.directory} is a directory`,
  ],
  // Bank address
  [{ BANK_BASE_URL: 'bank.example' }, 'BANK_BASE_URL is "bank.example": not an https:// address'],
  [{ BANK_BASE_URL: 'ftp://bank.example' }, 'BANK_BASE_URL is "ftp://bank.example": not an https:// address'],
  [{ BANK_BASE_URL: 'https://' }, 'BANK_BASE_URL is "https://": not an https:// address'],
  [{ BANK_BASE_URL: 'https:///bank' }, 'BANK_BASE_URL is "https:///bank": not an https:// address'],
  [
    { BANK_BASE_URL: 'http://bank.example' },
    'BANK_BASE_URL is "http://bank.example": http:// and not on loopback',
  ],
  [{ BANK_BASE_URL: 'http://localhost.bank.example' }, 'http:// and not on loopback'],
  [
    { BANK_BASE_URL: `https://u:${CANARY}@bank.example` },
    'BANK_BASE_URL is "https://…@bank.example": contains credentials',
  ],
  [
    { BANK_BASE_URL: `https://bank.example/?k=${CANARY}` },
    'BANK_BASE_URL is "https://bank.example/?…": contains a query',
  ],
  [{ BANK_BASE_URL: 'https://bank.example/?' }, 'contains a query'],
  [
    { BANK_BASE_URL: `https://bank.example/#${CANARY}` },
    'BANK_BASE_URL is "https://bank.example/#…": contains a fragment',
  ],
  // A password may hold any character, also unescaped ones that make the text no URL.
  ...['?', '#', '/', '//', '@'].map((character): [Record<string, string>, string] => [
    { BANK_BASE_URL: `https://u:${CANARY}${character}1@bank.example` },
    'BANK_BASE_URL is "https://…@bank.example": ',
  ]),
  [{ BANK_BASE_URL: 'https://bank.example/a b' }, 'contains a space, a backslash or a control character'],
  [{ BANK_BASE_URL: 'https:\\\\bank.example' }, 'contains a space, a backslash or a control character'],
  // Bank token
  [
    { BANK_TOKEN_FILE: key },
    'BANK_TOKEN is (set, not shown): BANK_TOKEN_FILE is set too; allowed: exactly one of',
  ],
  [
    { BANK_TOKEN: `${CANARY}\nX-Evil: 1` },
    'BANK_TOKEN is (set, not shown): holds characters that cannot stand in a header',
  ],
  [{ BANK_TOKEN: `${CANARY}ñ` }, 'BANK_TOKEN is (set, not shown): holds characters that cannot stand'],
  [{ BANK_TOKEN: ` ${CANARY}` }, 'BANK_TOKEN is (set, not shown): begins or ends with a space'],
  [{ BANK_TOKEN: CANARY.repeat(2000) }, 'BANK_TOKEN is (set, not shown): holds more than 16384 characters'],
  [
    { BANK_TOKEN: undefined, BANK_TOKEN_FILE: missing },
    `BANK_TOKEN_FILE is "${missing}": the file ${missing} does not exist`,
  ],
  [
    { BANK_TOKEN: undefined, BANK_TOKEN_FILE: CANARY },
    'BANK_TOKEN_FILE is (set, not shown): the file does not exist',
  ],
  [{ BANK_TOKEN: undefined, BANK_TOKEN_FILE: files.directory }, `the file ${files.directory} is a directory`],
  [{ BANK_TOKEN: undefined, BANK_TOKEN_FILE: empty }, `the file ${empty} is empty`],
  [{ BANK_TOKEN: undefined, BANK_TOKEN_FILE: lineFeed }, `the file ${lineFeed} is empty`],
  [{ BANK_TOKEN: undefined, BANK_TOKEN_FILE: large }, `the file ${large} is larger than 262144 bytes`],
  [{ BANK_TOKEN: undefined, BANK_TOKEN_FILE: binary }, `the file ${binary} is not UTF-8 text`],
  [
    { BANK_TOKEN: undefined, BANK_TOKEN_FILE: twoLines },
    `the file ${twoLines} holds characters that cannot stand in a header`,
  ],
  // Token service
  [
    { BANK_TOKEN: undefined, BANK_TOKEN_URL: `https://u:${CANARY}@id.example` },
    'BANK_TOKEN_URL is "https://…@id.example": contains credentials; allowed: exactly one of',
  ],
  [
    { BANK_TOKEN: undefined, BANK_TOKEN_URL: `http://id.example/?k=${CANARY}` },
    'BANK_TOKEN_URL is "http://id.example/?…": http:// and not on loopback',
  ],
  [
    { BANK_TOKEN: undefined, BANK_TOKEN_URL: 'https://id.example/#t' },
    'BANK_TOKEN_URL is "https://id.example/#…": contains a fragment',
  ],
  [{ BANK_TOKEN_URL: 'https://id.example' }, 'BANK_TOKEN is (set, not shown): BANK_TOKEN_URL is set too'],
  [
    { BANK_TOKEN_POINTER: '/t' },
    'BANK_TOKEN_POINTER is "/t": BANK_TOKEN_URL is not set; allowed: a JSON pointer',
  ],
  [{ ...TOKEN_SERVICE, BANK_TOKEN_POINTER: 't' }, 'BANK_TOKEN_POINTER is "t": not a JSON pointer'],
  [
    { ...TOKEN_SERVICE, BANK_TOKEN_EXPIRES_UNIT: 'min' },
    'BANK_TOKEN_EXPIRES_UNIT is "min": not one of the allowed values; allowed: s or ms',
  ],
  [{ ...TOKEN_SERVICE, BANK_TOKEN_REQUEST_TYPE: 'xml' }, 'BANK_TOKEN_REQUEST_TYPE is "xml": not one of'],
  [{ ...TOKEN_SERVICE, BANK_TOKEN_REQUEST_FILE: missing }, `the file ${missing} does not exist`],
  [{ ...TOKEN_SERVICE, BANK_TOKEN_REQUEST_FILE: noJson }, `the file ${noJson} is not JSON; allowed`],
  // Signatures
  [{ BANK_HMAC_SECRET_FILE: missing }, `BANK_HMAC_SECRET_FILE is "${missing}": the file ${missing} does not`],
  [{ BANK_HMAC_SECRET_FILE: lineFeed }, `the file ${lineFeed} is empty`],
  [
    { BANK_HMAC_HASH: 'sha512' },
    'BANK_HMAC_HASH is "sha512": BANK_HMAC_SECRET_FILE is not set; allowed: sha256 or sha512, with',
  ],
  [{ ...SIGNED, BANK_HMAC_HASH: 'md5' }, 'BANK_HMAC_HASH is "md5": not one of the allowed values'],
  [{ ...SIGNED, BANK_HMAC_ENCODING: 'HEX' }, 'BANK_HMAC_ENCODING is "HEX": not one of the allowed values'],
  [
    { ...SIGNED, BANK_HMAC_CONTENT: '{timestamp}{Body}' },
    'BANK_HMAC_CONTENT is "{timestamp}{Body}": has the unknown placeholder {Body}; allowed: text with',
  ],
  [{ ...SIGNED, BANK_HMAC_CONTENT: '{body' }, 'has a { that belongs to no placeholder'],
  [{ ...SIGNED, BANK_HMAC_CONTENT: 'body' }, 'has no placeholder'],
  [{ ...SIGNED, BANK_HMAC_SCHEME: 'rfc' }, 'BANK_HMAC_SCHEME is "rfc": not one of the allowed values'],
  [{ BANK_HMAC_SCHEME: 'rfc9421' }, 'BANK_HMAC_SCHEME is "rfc9421": BANK_HMAC_SECRET_FILE is not set'],
  [
    { ...SIGNED, BANK_HMAC_SCHEME: 'rfc9421', BANK_HMAC_HASH: 'sha512' },
    'BANK_HMAC_HASH is "sha512": BANK_HMAC_SCHEME is rfc9421',
  ],
  [{ ...SIGNED, BANK_HMAC_KEY_ID: 'k' }, 'BANK_HMAC_KEY_ID is "k": BANK_HMAC_SCHEME is not rfc9421'],
  [{ ...SIGNED, BANK_HMAC_HEADER: 'Authorization' }, 'is "Authorization": a header that is not free to set'],
  [{ ...SIGNED, BANK_HMAC_HEADER: 'X Sig' }, 'BANK_HMAC_HEADER is "X Sig": not a header name'],
  [
    { ...SIGNED, BANK_HMAC_NONCE_HEADER: 'x-timestamp' },
    'BANK_HMAC_NONCE_HEADER is "x-timestamp": a header that is used already',
  ],
  [{ ...SIGNED, BANK_HMAC_PREFIX: ' v1=' }, 'BANK_HMAC_PREFIX is " v1=": not one line of printable ASCII'],
  [{ ...SIGNED, BANK_HEADERS_FILE: nonceHeader }, 'has the header x-nonce, which the signature uses'],
  // Mutual TLS; `bank-tls.test.ts` has the ones that need real certificates
  [{ BANK_CLIENT_CERT_FILE: badCertificate }, 'BANK_CLIENT_KEY_FILE is not set'],
  [{ BANK_CLIENT_KEY_FILE: key }, `BANK_CLIENT_KEY_FILE is "${key}": BANK_CLIENT_CERT_FILE is not set`],
  [
    { BANK_CLIENT_KEY_PASSPHRASE_FILE: missing },
    `BANK_CLIENT_KEY_PASSPHRASE_FILE is "${missing}": BANK_CLIENT_KEY_FILE is not set`,
  ],
  [
    { BANK_CLIENT_CERT_FILE: badCertificate, BANK_CLIENT_KEY_FILE: key },
    `the file ${badCertificate} has a certificate that cannot be read`,
  ],
  [
    { BANK_CLIENT_CERT_FILE: badCertificate, BANK_CLIENT_KEY_FILE: key },
    `the file ${key} has no private key that can be read`,
  ],
  // Encryption
  [
    { CODEC_KEYS_FILE: `{"active":"k1","keys":{"k1":"${CANARY}"}}` },
    'CODEC_KEYS_FILE is (set, not shown): the file does not exist',
  ],
  [
    { BANK_CLIENT_CERT_FILE: key, BANK_CLIENT_KEY_FILE: `-----BEGIN PRIVATE KEY-----\n${CANARY}\n` },
    'BANK_CLIENT_KEY_FILE is (set, not shown): the file does not exist',
  ],
  [
    { TEMPORAL_TLS_CLIENT_KEY_PATH: CANARY },
    'TEMPORAL_TLS_CLIENT_KEY_PATH is (set, not shown): the file does not exist',
  ],
  [{ BANK_CA_FILE: 'bank-ca.pem' }, 'BANK_CA_FILE is "bank-ca.pem": the file bank-ca.pem does not exist'],
  [{ CODEC_KEYS_FILE: missing }, `CODEC_KEYS_FILE is (set, not shown): the file ${missing} does not exist`],
  [{ CODEC_KEYS_FILE: noJson }, `the file ${noJson} is not JSON`],
  [{ CODEC_KEYS_FILE: jsonList }, `the file ${jsonList} is not a JSON object`],
  // Bank calls
  [
    { BANK_CA_FILE: missing },
    `BANK_CA_FILE is "${missing}": the file ${missing} does not exist; allowed: the path of a PEM`,
  ],
  [{ BANK_CA_FILE: key }, `the file ${key} has no PEM certificate`],
  [{ BANK_CA_FILE: badCertificate }, `the file ${badCertificate} has a certificate that cannot be read`],
  [
    { BANK_AUTH_STYLE_TRANSFERS: 'Bearer' },
    'BANK_AUTH_STYLE_TRANSFERS is "Bearer": not one of the allowed values; allowed: raw or bearer',
  ],
  [{ BANK_HEADERS_FILE: noJson }, `the file ${noJson} is not JSON`],
  [{ BANK_HEADERS_FILE: jsonList }, `the file ${jsonList} is not a JSON object`],
  [{ BANK_HEADERS_FILE: reservedHeader }, 'has the header AUTHORIZATION, which is not free to set'],
  [{ BANK_HEADERS_FILE: headerTwice }, 'has the header x-a twice'],
  [{ BANK_HEADERS_FILE: headerName }, 'has a name that is not a header name'],
  [{ BANK_HEADERS_FILE: headerNumber }, 'has a value of X-A that is not one line of printable ASCII text'],
  [{ BANK_HEADERS_FILE: headerBreak }, 'has a value of X-A that is not one line of printable ASCII text'],
  [{ BANK_TIMEOUT: '7001ms' }, 'BANK_TIMEOUT is "7001ms": longer than 7s; allowed: a duration of at most 7s'],
  [{ BANK_TIMEOUT: '0s' }, 'BANK_TIMEOUT is "0s": shorter than 1ms'],
  [{ BANK_TIMEOUT_CREATE: '11m' }, 'BANK_TIMEOUT_CREATE is "11m": longer than 10m'],
  [
    { BANK_TIMEOUT_CREATE: '30' },
    'BANK_TIMEOUT_CREATE is "30": has no unit; allowed: a duration of at most 10m',
  ],
  [
    { BANK_MAX_RPS: '-1' },
    'BANK_MAX_RPS is "-1": not a whole number; allowed: a whole number from 0 to 100000',
  ],
  [
    { BANK_MAX_RPS: '100001' },
    'BANK_MAX_RPS is "100001": not between 0 and 100000; allowed: a whole number from 0 to 100000',
  ],
  [{ BANK_REFUSED_STATUS: '400,999' }, 'BANK_REFUSED_STATUS is "400,999": entry 2 is not an HTTP status'],
  [{ BANK_REFUSED_STATUS: '200' }, 'BANK_REFUSED_STATUS is "200": entry 1 is a status of success'],
  [{ BANK_NOT_FOUND_STATUS: '404,' }, 'BANK_NOT_FOUND_STATUS is "404,": entry 2 is empty'],
  [
    { BANK_REFUSED_CODE_POINTER: 'code', BANK_REFUSED_CODES: '1' },
    'BANK_REFUSED_CODE_POINTER is "code": not a JSON pointer',
  ],
  [
    { BANK_REFUSED_CODE_POINTER: '/code' },
    'BANK_REFUSED_CODE_POINTER is "/code": BANK_REFUSED_CODES is not set',
  ],
  [{ BANK_NOT_FOUND_CODES: '17' }, 'BANK_NOT_FOUND_CODES is "17": BANK_NOT_FOUND_CODE_POINTER is not set'],
  // Cadence
  [{ POLL_ACTIVE: '4999ms' }, 'POLL_ACTIVE is "4999ms": shorter than 5s; allowed: a duration of at least 5s'],
  [{ POLL_ACTIVE: '5 s' }, 'POLL_ACTIVE is "5 s": not a duration'],
  [
    { POLL_DELAYED: '10m' },
    'POLL_DELAYED is "10m": shorter than 10m1ms; allowed: a duration of more than 10m',
  ],
  [{ POLL_DELAYED: '400d' }, 'POLL_DELAYED is "400d": longer than 366d'],
  [{ RESEND_WINDOW: 'never' }, 'RESEND_WINDOW is "never": not a duration'],
  [{ ATTENTION_AFTER_ACTIVE: '0s' }, 'ATTENTION_AFTER_ACTIVE is "0s": shorter than 1ms'],
  [{ ATTENTION_AFTER_DELAYED: '1.5d' }, 'ATTENTION_AFTER_DELAYED is "1.5d": not a duration'],
  // Orders
  [
    { CHECK_DIGITS: 'on' },
    'CHECK_DIGITS is "on": not one of the allowed values; allowed: strict, warn or off',
  ],
  [
    { CONCEPTS: 'FAC,var' },
    'CONCEPTS is "FAC,var": entry 2 is not a code of 2 to 8 upper-case letters or digits',
  ],
  [
    { CONCEPTS: 'F,FAC,,FACTURAS9' },
    'entry 1 is not a code of 2 to 8 upper-case letters or digits, entry 3 is empty, entry 4',
  ],
  [{ AMOUNT_MAX: '1,500.00' }, 'AMOUNT_MAX is "1,500.00": not an amount; allowed: a decimal over zero'],
  [{ AMOUNT_MAX: '0' }, 'AMOUNT_MAX is "0": not an amount'],
  [
    { FROM_ACCOUNTS: '0009001600000000000018' },
    'FROM_ACCOUNTS is (set, not shown): entry 1 has a wrong check digit',
  ],
  [
    { FROM_ACCOUNTS: '0009001600000000000017,mi.alias.pago' },
    'FROM_ACCOUNTS is (set, not shown): entry 2 is an alias',
  ],
  [{ FROM_ACCOUNTS: '0'.repeat(22) }, 'entry 1 is 22 zeros'],
  [{ DESCRIPTION_MAX: '100.5' }, 'DESCRIPTION_MAX is "100.5": not a whole number'],
  [{ DESCRIPTION_MAX: '10001' }, 'DESCRIPTION_MAX is "10001": not between 0 and 10000'],
  [{ ORIGIN_ID_MIN: '0' }, 'ORIGIN_ID_MIN is "0": not between 1 and 9007199254740991'],
  [
    { ORIGIN_ID_MAX: '9007199254740992' },
    'ORIGIN_ID_MAX is "9007199254740992": not between 1 and 9007199254740991',
  ],
  [{ ORIGIN_ID_MIN: '20', ORIGIN_ID_MAX: '10' }, 'ORIGIN_ID_MIN is "20": greater than ORIGIN_ID_MAX, 10'],
  [
    { DECIDERS: `ana,${'b'.repeat(101)}` },
    'DECIDERS is (set, not shown): entry 2 must be 1 to 100 characters of A-Za-z0-9._@+-',
  ],
  // Temporal
  [
    { TEMPORAL_ADDRESS: 'https://temporal:7233' },
    'TEMPORAL_ADDRESS is "https://temporal:7233": not host:port',
  ],
  [
    { TEMPORAL_ADDRESS: `https://me:${CANARY}@temporal:7233` },
    'TEMPORAL_ADDRESS is "https://…@temporal:7233": not host:port',
  ],
  [{ TEMPORAL_NAMESPACE: 'a\tb' }, 'TEMPORAL_NAMESPACE is "a\\tb": contains control characters'],
  [
    { TEMPORAL_TLS: 'yes' },
    'TEMPORAL_TLS is "yes": not one of the allowed values; allowed: 1, true, 0 or false',
  ],
  [{ TEMPORAL_API_KEY: `${CANARY} x` }, 'TEMPORAL_API_KEY is (set, not shown): holds characters'],
  [
    { TEMPORAL_API_KEY: CANARY, TEMPORAL_TLS: '0', TEMPORAL_ADDRESS: 'temporal.example:7233' },
    'TEMPORAL_API_KEY is (set, not shown): would travel in clear: TLS is off',
  ],
  [{ TEMPORAL_TLS_CLIENT_CERT_PATH: key }, 'TEMPORAL_TLS_CLIENT_CERT_PATH is "'],
  [
    { TEMPORAL_TLS_CLIENT_KEY_DATA: CANARY },
    'TEMPORAL_TLS_CLIENT_KEY_DATA is (set, not shown): the client certificate is missing',
  ],
  [
    { TEMPORAL_TLS_SERVER_CA_CERT_PATH: missing },
    `TEMPORAL_TLS_SERVER_CA_CERT_PATH is "${missing}": the file ${missing} does not exist`,
  ],
  [
    { TEMPORAL_TLS_CLIENT_KEY_PATH: key, TEMPORAL_TLS_CLIENT_KEY_DATA: CANARY },
    `TEMPORAL_TLS_CLIENT_KEY_PATH is "${key}": TEMPORAL_TLS_CLIENT_KEY_DATA is set too`,
  ],
  [
    { TEMPORAL_CONFIG_FILE: missing },
    `TEMPORAL_CONFIG_FILE is "${missing}": the file ${missing} does not exist`,
  ],
  [{ TEMPORAL_CONFIG_FILE: brokenToml }, 'the profile file cannot be read as TOML with profiles'],
  [
    { TEMPORAL_CONFIG_FILE: toml },
    'TEMPORAL_ADDRESS is not set: the value in the Temporal profile is not host:port',
  ],
  [
    { TEMPORAL_CONFIG_FILE: toml, TEMPORAL_PROFILE: 'prod' },
    'TEMPORAL_PROFILE is "prod": the profile file has no such profile',
  ],
];

test('the table is large, and without its bad settings the configuration is good', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(40);
  expect(() => loadSettings(GOOD, NEEDS)).not.toThrow();
});

test.each(ROWS)('%j', (settings, expected) => {
  const env: Record<string, string> = {};
  const given: Record<string, string | undefined> = { ...GOOD, ...settings };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) env[name] = value;
  }
  let error: unknown;
  try {
    loadSettings(env, NEEDS);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(ConfigError);
  const { message } = error as ConfigError;
  expect(message).toContain(expected);
  expect(message).not.toContain(CANARY);
  // Errors name the wrong variables, and no others.
  const names = Object.keys(settings);
  for (const { variable } of (error as ConfigError).problems) {
    expect([...names, 'TEMPORAL_ADDRESS', 'BANK_TOKEN']).toContain(variable);
  }
});
