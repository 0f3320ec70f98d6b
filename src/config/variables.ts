import type { VariableSpec } from './variable-spec';
import { WEBHOOK_VARIABLES } from './variables-webhooks';

const TOKEN_ALLOWED = 'exactly one of BANK_TOKEN, BANK_TOKEN_FILE, BANK_TOKEN_URL';
const PEM_FILE = 'the path of a PEM file with certificates';
const TOKEN_SERVICE = 'with BANK_TOKEN_URL';
const SIGNED = 'with BANK_HMAC_SECRET_FILE';
const STATUSES = 'HTTP statuses from 100 to 599 without 2xx, comma-separated; or none';

const IN_USE = {
  LOG_LEVEL: {
    section: 'Process',
    default: 'info',
    allowed: 'fatal, error, warn, info, debug, trace or silent',
    meaning: 'least severe log line that is written; `ready` always is',
  },
  GIRO_TASK_QUEUE: {
    section: 'Process',
    default: 'giro',
    allowed: 'printable text of at most 200 characters',
    meaning: 'task queue of workflows and activities',
  },
  GIRO_HTTP_ADDRESS: {
    section: 'Process',
    default: 'off',
    allowed: 'host:port (port 0: a free one), or off',
    meaning: 'where the worker serves /healthz, /readyz and /metrics, e.g. 127.0.0.1:9464',
  },
  RECOVERY_MAX_STARTS: {
    section: 'Process',
    default: '600',
    allowed: 'a whole number from 1 to 5000',
    meaning: 'lost runs that are started again in a minute by the schedule, or by one recover command',
  },
  GIRO_DEPLOYMENT_NAME: {
    section: 'Process',
    default: null,
    allowed: 'letters, digits, - and _, at most 100, beginning with a letter or digit; with GIRO_BUILD_ID',
    meaning:
      'worker versioning: the deployment that this worker belongs to; without it workers are not versioned',
  },
  GIRO_BUILD_ID: {
    section: 'Process',
    default: null,
    allowed:
      'letters, digits, ., -, + and _, at most 100, beginning with a letter or digit; with GIRO_DEPLOYMENT_NAME',
    meaning: 'worker versioning: names the code that this worker runs, e.g. the commit',
  },
  GIRO_SANDBOX: {
    section: 'Process',
    default: null,
    allowed: '1, only with a bank on loopback; or not set',
    meaning: 'lifts the lower bounds of the cadences and adds X-Giro-Time to bank requests',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    section: 'Tracing',
    default: null,
    allowed: 'http(s)://HOST[:PORT][/PATH] without user and password',
    meaning:
      'OpenTelemetry collector: spans go to its /v1/traces as OTLP over HTTP (JSON); without it nothing is traced',
    shown: 'url',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    section: 'Tracing',
    default: null,
    allowed: 'name=value, comma-separated, values percent-encoded',
    meaning: 'headers for the collector',
    shown: 'never',
  },
  OTEL_SERVICE_NAME: {
    section: 'Tracing',
    default: 'giro',
    allowed: 'a word of at most 100 printable characters',
    meaning: 'name of this process in traces',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    section: 'Tracing',
    default: '1',
    allowed: 'a number from 0 to 1',
    meaning: 'part of the traces that begin here that is kept; a caller who has decided is followed',
  },
  TEMPORAL_ADDRESS: {
    section: 'Temporal',
    default: 'localhost:7233',
    allowed: 'host or host:port',
    meaning: 'the engine',
  },
  TEMPORAL_NAMESPACE: {
    section: 'Temporal',
    default: 'default',
    allowed: 'printable text of at most 200 characters',
    meaning: 'namespace of the engine',
  },
  TEMPORAL_API_KEY: {
    section: 'Temporal',
    default: null,
    allowed: 'printable ASCII text, over TLS or to loopback',
    meaning: 'API key; turns TLS on',
    shown: 'never',
  },
  TEMPORAL_TLS: {
    section: 'Temporal',
    default: null,
    allowed: '1, true, 0 or false',
    meaning: 'TLS to the engine, on or off; without it: on when a key or certificate is given',
  },
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: {
    section: 'Temporal',
    default: null,
    allowed: 'the path of a PEM file',
    meaning: 'certificate authority of the engine',
  },
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: {
    section: 'Temporal',
    default: null,
    allowed: 'PEM text',
    meaning: 'the same, as text',
    shown: 'never',
  },
  TEMPORAL_TLS_CLIENT_CERT_PATH: {
    section: 'Temporal',
    default: null,
    allowed: 'the path of a PEM file, with the client key',
    meaning: 'client certificate for the engine',
  },
  TEMPORAL_TLS_CLIENT_CERT_DATA: {
    section: 'Temporal',
    default: null,
    allowed: 'PEM text, with the client key',
    meaning: 'the same, as text',
    shown: 'never',
  },
  TEMPORAL_TLS_CLIENT_KEY_PATH: {
    section: 'Temporal',
    default: null,
    allowed: 'the path of a PEM file, with the client certificate',
    meaning: 'key of the client certificate',
  },
  TEMPORAL_TLS_CLIENT_KEY_DATA: {
    section: 'Temporal',
    default: null,
    allowed: 'PEM text, with the client certificate',
    meaning: 'the same, as text',
    shown: 'never',
  },
  TEMPORAL_TLS_SERVER_NAME: {
    section: 'Temporal',
    default: null,
    allowed: 'a host name',
    meaning: 'name that the certificate of the engine must bear',
  },
  TEMPORAL_PROFILE: {
    section: 'Temporal',
    default: null,
    allowed: 'the name of a profile in the Temporal profile file',
    meaning: 'profile that the variables above override; without it: default, if there is one',
  },
  TEMPORAL_CONFIG_FILE: {
    section: 'Temporal',
    default: null,
    allowed: 'the path of a readable TOML file with profiles',
    meaning: "Temporal profile file; without it: the ecosystem's own place in the home directory",
  },
  DATABASE_URL: {
    section: 'Journal',
    default: null,
    allowed: 'postgres://HOST[:PORT]/DATABASE, with user and password before HOST',
    meaning: 'the journal; required by commands that use it',
    shown: 'never',
  },
  CODEC_KEYS_FILE: {
    section: 'Encryption',
    default: null,
    allowed: 'the path of a JSON file {"active":"ID","keys":{"ID":"<base64 of 32 bytes>",…}}',
    meaning:
      'encrypts payloads in the engine and orders in the journal; without it they are in clear, and accounts and tax ids ' +
      'that the bank reports otherwise than ordered are not kept',
    shown: 'never',
  },
  CODEC_SERVER_ADDRESS: {
    section: 'Encryption',
    default: '127.0.0.1:8088',
    allowed: 'host:port (port 0: a free one)',
    meaning: 'where the codec server listens',
  },
  CODEC_SERVER_TOKEN_FILE: {
    section: 'Encryption',
    default: null,
    allowed: 'the path of a file with one word of at least 16 printable ASCII characters',
    meaning: 'bearer token of the codec server; required by it',
    shown: 'never',
  },
  CODEC_SERVER_ORIGINS: {
    section: 'Encryption',
    default: null,
    allowed: 'origins such as https://temporal.example, comma-separated',
    meaning: 'web pages that may ask the codec server: where the Temporal UI is served; none = no browser',
  },
  CODEC_SERVER_MAX_RPM: {
    section: 'Encryption',
    default: '600',
    allowed: 'a whole number from 1 to 1000000',
    meaning: 'requests a minute to the codec server from one address; more are answered 429',
  },
  CODEC_SERVER_TRUSTED_HOPS: {
    section: 'Encryption',
    default: '0',
    allowed: 'a whole number from 0 to 10',
    meaning: 'proxies before the codec server whose X-Forwarded-For is believed; 0: none',
  },
  CODEC_SERVER_OPERATOR_HEADER: {
    section: 'Encryption',
    default: null,
    allowed: 'the name of a header, e.g. X-Forwarded-User',
    meaning:
      'in which the gateway before the codec server names the person who asks, for the audit line; it has to overwrite what the browser sends',
  },
  BANK_BASE_URL: {
    section: 'Bank',
    default: null,
    allowed: 'https://HOST[:PORT][/PREFIX] without credentials, query or fragment; http:// only on loopback',
    meaning: 'address of the bank; required by commands that ask it',
    shown: 'url',
  },
  BANK_CA_FILE: {
    section: 'Bank',
    default: null,
    allowed: PEM_FILE,
    meaning: "certificate authority of the bank, in place of the system's",
  },
  BANK_CLIENT_CERT_FILE: {
    section: 'Bank',
    default: null,
    allowed: `${PEM_FILE}; ours first, then its chain; with BANK_CLIENT_KEY_FILE`,
    meaning: 'certificate that we show the bank (mutual TLS)',
  },
  BANK_CLIENT_KEY_FILE: {
    section: 'Bank',
    default: null,
    allowed: 'the path of a PEM file with the private key, with BANK_CLIENT_CERT_FILE',
    meaning: 'key of that certificate',
  },
  BANK_CLIENT_KEY_PASSPHRASE_FILE: {
    section: 'Bank',
    default: null,
    allowed: 'the path of a file, with BANK_CLIENT_KEY_FILE',
    meaning: 'passphrase of that key; a trailing line feed is not part of it',
  },
  BANK_TOKEN: {
    section: 'Bank',
    default: null,
    allowed: `${TOKEN_ALLOWED}; printable ASCII text`,
    meaning: 'access token, static',
    shown: 'never',
  },
  BANK_TOKEN_FILE: {
    section: 'Bank',
    default: null,
    allowed: `${TOKEN_ALLOWED}; the path of a file with printable ASCII text`,
    meaning: 'access token in a file; a trailing line feed is not part of it',
  },
  BANK_TOKEN_URL: {
    section: 'Bank',
    default: null,
    allowed: `${TOKEN_ALLOWED}; https://HOST[:PORT]/PATH without credentials or fragment; http:// only on loopback`,
    meaning: 'token service: its address, asked by POST with the same TLS settings as the bank',
    shown: 'url',
  },
  BANK_TOKEN_REQUEST_FILE: {
    section: 'Bank',
    default: null,
    allowed: `the path of a file, ${TOKEN_SERVICE}; JSON when BANK_TOKEN_REQUEST_TYPE is json`,
    meaning: 'token service: the body to POST, as it stands; a trailing line feed is not part of it',
  },
  BANK_TOKEN_REQUEST_TYPE: {
    section: 'Bank',
    default: 'json',
    allowed: `json or form, ${TOKEN_SERVICE}`,
    meaning: 'token service: application/json or application/x-www-form-urlencoded',
  },
  BANK_TOKEN_POINTER: {
    section: 'Bank',
    default: '/access_token',
    allowed: `a JSON pointer, ${TOKEN_SERVICE}`,
    meaning: 'token service: where its answer carries the token',
  },
  BANK_TOKEN_EXPIRES_POINTER: {
    section: 'Bank',
    default: '/expires_in',
    allowed: `a JSON pointer, ${TOKEN_SERVICE}`,
    meaning: 'token service: where its answer carries the life of the token; nothing there: until a 401',
  },
  BANK_TOKEN_EXPIRES_UNIT: {
    section: 'Bank',
    default: 's',
    allowed: `s or ms, ${TOKEN_SERVICE}`,
    meaning: 'token service: unit of that life',
  },
  BANK_HMAC_SECRET_FILE: {
    section: 'Bank',
    default: null,
    allowed: 'the path of a file with text',
    meaning:
      'transfer-request and get-movement are signed with this secret; a trailing line feed is not part of it',
  },
  BANK_HMAC_SCHEME: {
    section: 'Bank',
    default: 'template',
    allowed: `template or rfc9421, ${SIGNED}`,
    meaning:
      'by BANK_HMAC_HEADER to BANK_HMAC_NONCE_HEADER, or HTTP Message Signatures (RFC 9421, hmac-sha256) over method, ' +
      'URL and Content-Digest',
  },
  BANK_HMAC_KEY_ID: {
    section: 'Bank',
    default: null,
    allowed: 'printable text of at most 200 characters, with BANK_HMAC_SCHEME=rfc9421',
    meaning: 'keyid of the signature',
  },
  BANK_HMAC_HEADER: {
    section: 'Bank',
    default: 'X-Signature',
    allowed: `a header name, ${SIGNED}`,
    meaning: 'header of the signature',
  },
  BANK_HMAC_HASH: {
    section: 'Bank',
    default: 'sha256',
    allowed: `sha256 or sha512, ${SIGNED}`,
    meaning: 'hash of the HMAC',
  },
  BANK_HMAC_ENCODING: {
    section: 'Bank',
    default: 'hex',
    allowed: `hex or base64, ${SIGNED}`,
    meaning: 'how the signature is written',
  },
  BANK_HMAC_PREFIX: {
    section: 'Bank',
    default: null,
    allowed: `printable ASCII text of at most 200 characters, ${SIGNED}`,
    meaning: 'text before the signature in its header',
  },
  BANK_HMAC_CONTENT: {
    section: 'Bank',
    default: String.raw`{timestamp}\n{nonce}\n{method}\n{path}\n{bodySha256}`,
    allowed:
      String.raw`text with {timestamp}, {nonce}, {method}, {path}, {pathTrimmed}, {query}, {url}, {body}, {bodySha256} ` +
      String.raw`and \n, \r, \t, \\, ${SIGNED}`,
    meaning: 'what is signed',
  },
  BANK_HMAC_TIMESTAMP_HEADER: {
    section: 'Bank',
    default: 'X-Timestamp',
    allowed: `a header name, ${SIGNED}`,
    meaning: 'header of the time in Unix seconds, sent if the content uses {timestamp}',
  },
  BANK_HMAC_NONCE_HEADER: {
    section: 'Bank',
    default: 'X-Nonce',
    allowed: `a header name, ${SIGNED}`,
    meaning: 'header of the nonce, sent if the content uses {nonce}',
  },
  BANK_AUTH_STYLE_TRANSFERS: {
    section: 'Bank',
    default: 'raw',
    allowed: 'raw or bearer',
    meaning: '`Authorization: <token>` or `Authorization: Bearer <token>` for transfers and movements',
  },
  BANK_HEADERS_FILE: {
    section: 'Bank',
    default: null,
    allowed: 'the path of a file with a JSON object of at most 50 header names and text values',
    meaning: 'further headers of every request (client ids and the like)',
  },
  BANK_TIMEOUT_CREATE: {
    section: 'Bank',
    default: '30s',
    allowed: 'a duration of at most 10m',
    meaning: 'longest that one create may take',
  },
  BANK_TIMEOUT: {
    section: 'Bank',
    default: '5s',
    allowed: 'a duration of at most 7s',
    meaning: 'longest that one look-up may take; queries of that workflow wait meanwhile',
  },
  BANK_MAX_RPS: {
    section: 'Bank',
    default: '100',
    allowed: 'a whole number from 0 to 100000',
    meaning: 'calls a second from one worker; 0: no limit',
  },
  RECONCILE_MAX_RPS: {
    section: 'Bank',
    default: '10',
    allowed: 'a whole number from 0 to 100000',
    meaning:
      'of these, questions a second that reconciliations ask from one worker; 0: no limit but BANK_MAX_RPS',
  },
  RECONCILE_KEEP: {
    section: 'Bank',
    default: '90d',
    allowed: 'a duration of at least 31d',
    meaning: 'what reconciliations looked at and saw, and lines of statements, are deleted after that',
  },
  BANK_REFUSED_STATUS: {
    section: 'Bank',
    default: '400,422',
    allowed: STATUSES,
    meaning: 'statuses of create that mean "not accepted"',
  },
  BANK_REFUSED_CODE_POINTER: {
    section: 'Bank',
    default: null,
    allowed: 'a JSON pointer such as /error/code, with BANK_REFUSED_CODES',
    meaning: "where a create's answer carries its code",
  },
  BANK_REFUSED_CODES: {
    section: 'Bank',
    default: null,
    allowed: 'codes, comma-separated, with BANK_REFUSED_CODE_POINTER',
    meaning: 'codes of create that mean "not accepted", whatever the status',
  },
  BANK_NOT_FOUND_STATUS: {
    section: 'Bank',
    default: '404',
    allowed: STATUSES,
    meaning: 'statuses of get-movement that mean "not known (yet)"',
  },
  BANK_NOT_FOUND_CODE_POINTER: {
    section: 'Bank',
    default: null,
    allowed: 'a JSON pointer such as /error/code, with BANK_NOT_FOUND_CODES',
    meaning: "where a look-up's answer carries its code",
  },
  BANK_NOT_FOUND_CODES: {
    section: 'Bank',
    default: null,
    allowed: 'codes, comma-separated, with BANK_NOT_FOUND_CODE_POINTER',
    meaning: 'codes of get-movement that mean "not known (yet)", whatever the status',
  },
  POLL_ACTIVE: {
    section: 'Cadence',
    default: '5s',
    allowed: 'a duration of at least 5s',
    meaning: 'gap between requests while CREATED or IN_PROGRESS',
  },
  POLL_DELAYED: {
    section: 'Cadence',
    default: '10m30s',
    allowed: 'a duration of more than 10m',
    meaning: 'gap between requests while DELAYED',
  },
  RESEND_WINDOW: {
    section: 'Cadence',
    default: '1h',
    allowed: 'a duration; 0s = never again',
    meaning: 'how long after the first create the same bytes may be sent once more',
  },
  ATTENTION_AFTER_ACTIVE: {
    section: 'Cadence',
    default: '15m',
    allowed: 'a duration',
    meaning: 'still CREATED or IN_PROGRESS after that: flagged, and goes on',
  },
  ATTENTION_AFTER_DELAYED: {
    section: 'Cadence',
    default: '24h',
    allowed: 'a duration',
    meaning: 'still DELAYED after that: flagged, and goes on',
  },
  CHECK_DIGITS: {
    section: 'Orders',
    default: 'strict',
    allowed: 'strict, warn or off',
    meaning: "check digits of CBU/CVU and CUIT/CUIL (some banks' sandboxes break them)",
  },
  CONCEPTS: {
    section: 'Orders',
    default: 'ALQ,CUO,EXP,FAC,PRE,SEG,HON,HAB,VAR',
    allowed: 'codes of 2 to 8 upper-case letters or digits, comma-separated',
    meaning: 'codes accepted in body.concept',
  },
  AMOUNT_MAX: {
    section: 'Orders',
    default: null,
    allowed: 'a decimal over zero with at most two decimals and 13 integer digits, such as 1500000.00',
    meaning: 'largest amount of one order',
  },
  FROM_ACCOUNTS: {
    section: 'Orders',
    default: null,
    allowed: 'CBU or CVU numbers of 22 digits, comma-separated',
    meaning: 'accounts that may send; none = any',
    shown: 'never',
  },
  DESCRIPTION_MAX: {
    section: 'Orders',
    default: '100',
    allowed: 'a whole number from 0 to 10000',
    meaning: 'most characters of body.description',
  },
  ORIGIN_ID_MIN: {
    section: 'Orders',
    default: '1',
    allowed: 'a whole number from 1 to 9007199254740991, at most ORIGIN_ID_MAX',
    meaning: 'least originId',
  },
  ORIGIN_ID_MAX: {
    section: 'Orders',
    default: '9007199254740991',
    allowed: 'a whole number from 1 to 9007199254740991, at least ORIGIN_ID_MIN',
    meaning: 'greatest originId',
  },
  DECIDERS: {
    section: 'Orders',
    default: null,
    allowed: 'names of at most 100 characters, comma-separated',
    meaning:
      'operators whose decisions count; none = any name. Names are not authenticated (runbook flagged-transfer)',
    shown: 'never',
  },
  ...WEBHOOK_VARIABLES,
  BANK_KYC_METHOD: {
    section: 'Verifications',
    default: 'GET',
    allowed: 'GET or POST',
    meaning:
      'HTTP method of the verification query (the reference names both); the other one may be answered 405',
  },
  BANK_AUTH_STYLE_KYC: {
    section: 'Verifications',
    default: 'raw',
    allowed: 'raw or bearer',
    meaning: '`Authorization: <token>` or `Authorization: Bearer <token>` for the verification query',
  },
  POLL_KYC: {
    section: 'Verifications',
    default: '1m',
    allowed: 'a duration of at least 1s',
    meaning: 'gap between questions after news, and the least one',
  },
  POLL_KYC_MAX: {
    section: 'Verifications',
    default: '15m',
    allowed: 'a duration of at least POLL_KYC',
    meaning: 'the gap doubles up to this while nothing changes',
  },
  ATTENTION_AFTER_KYC: {
    section: 'Verifications',
    default: '7d',
    allowed: 'a duration',
    meaning: 'still in the same status after that: flagged, and goes on',
  },
  KYC_STATUS_MAP: {
    section: 'Verifications',
    default: 'Pendiente=pending',
    allowed:
      'word=pending|approved|rejected, comma-separated; words of at most 40 characters, of which no two spellings ' +
      'differ only in case, accents or outer spaces and have different meanings',
    meaning: "what the bank's words mean; one that is not here is flagged and ends nothing",
  },
  KYC_STORE: {
    section: 'Verifications',
    default: 'none',
    allowed: 'none or encrypted, the latter with CODEC_KEYS_FILE',
    meaning: "whether the bank's full answers, which are personal data, are kept in the journal",
  },
} as const satisfies Record<string, VariableSpec>;

/**
 * The one table of the configuration: the reader takes defaults and wordings from it, and tests hold
 * `docs/configuration.md` and `.env.example` to it.
 */
export type VariableName = keyof typeof IN_USE;

/** Variables that have a default: reading them always gives a value. */
export type DefaultedName = {
  [N in keyof typeof IN_USE]: (typeof IN_USE)[N]['default'] extends string ? N : never;
}[keyof typeof IN_USE];

export const VARIABLES: Readonly<Record<VariableName, VariableSpec>> = IN_USE;
export const VARIABLE_NAMES = Object.keys(IN_USE) as readonly VariableName[];
