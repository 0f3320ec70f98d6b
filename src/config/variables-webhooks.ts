import type { VariableSpec } from './variable-spec';

const SECTION = 'Webhooks';
const HMAC = 'with WEBHOOK_VERIFY=hmac';

/** The bank's notifications: the receiver, how deliveries are verified and read, which subscriptions there should be. */
export const WEBHOOK_VARIABLES = {
  RECEIVER_ADDRESS: {
    section: SECTION,
    default: '127.0.0.1:8080',
    allowed: 'host:port (port 0: a free one)',
    meaning: 'where the receiver listens',
  },
  RECEIVER_PATH_SECRET_FILE: {
    section: SECTION,
    default: null,
    allowed:
      'the path of a file with one or more secrets of 8 to 500 letters, digits, . _ ~ or -, one a line',
    meaning: 'last segment of /webhooks/<secret>; every line is good; re-read when it changes',
  },
  RECEIVER_TLS_CERT_FILE: {
    section: SECTION,
    default: null,
    allowed: 'the path of a PEM file, with RECEIVER_TLS_KEY_FILE',
    meaning: 'certificate of the receiver, then its chain; none: plain HTTP behind a proxy',
  },
  RECEIVER_TLS_KEY_FILE: {
    section: SECTION,
    default: null,
    allowed: 'the path of a PEM file, with RECEIVER_TLS_CERT_FILE',
    meaning: 'key of that certificate; both are re-read when they change',
  },
  RECEIVER_TRUSTED_HOPS: {
    section: SECTION,
    default: '0',
    allowed: 'a whole number from 0 to 10',
    meaning: 'proxies in front whose X-Forwarded-* headers are believed; 0: none',
  },
  RECEIVER_MAX_RPS: {
    section: SECTION,
    default: '1000',
    allowed: 'a whole number from 0 to 100000; 0 = no limit',
    meaning: 'requests a second from one source; more are answered 429',
  },
  WEBHOOK_VERIFY: {
    section: SECTION,
    default: 'url-token',
    allowed: 'url-token, standard or hmac',
    meaning: 'how a delivery is verified: by the secret path alone, or also by Standard Webhooks or an HMAC',
  },
  WEBHOOK_SECRET_FILE: {
    section: SECTION,
    default: null,
    allowed: 'the path of a file with one or more secrets, one a line, unless WEBHOOK_VERIFY is url-token',
    meaning: 'what deliveries are signed with; every line is good; re-read when it changes',
  },
  WEBHOOK_HMAC_HEADER: {
    section: SECTION,
    default: 'X-Signature',
    allowed: `a header name, ${HMAC}`,
    meaning: 'header of the signature',
  },
  WEBHOOK_HMAC_HASH: {
    section: SECTION,
    default: 'sha256',
    allowed: `sha256 or sha512, ${HMAC}`,
    meaning: 'hash of the HMAC',
  },
  WEBHOOK_HMAC_ENCODING: {
    section: SECTION,
    default: 'hex',
    allowed: `hex or base64, ${HMAC}`,
    meaning: 'how the signature is written',
  },
  WEBHOOK_HMAC_PREFIX: {
    section: SECTION,
    default: null,
    allowed: `printable ASCII text of at most 200 characters, ${HMAC}`,
    meaning: 'text before the signature in its header',
  },
  WEBHOOK_HMAC_CONTENT: {
    section: SECTION,
    default: String.raw`{timestamp}\n{nonce}\n{method}\n{path}\n{bodySha256}`,
    allowed: `as BANK_HMAC_CONTENT, with {body} or {bodySha256}, ${HMAC}`,
    meaning: 'what is signed; with {timestamp} a delivery older than 5 minutes is refused',
  },
  WEBHOOK_HMAC_TIMESTAMP_HEADER: {
    section: SECTION,
    default: 'X-Timestamp',
    allowed: `a header name, ${HMAC}`,
    meaning: 'header of the time in Unix seconds, if the content uses {timestamp}',
  },
  WEBHOOK_HMAC_NONCE_HEADER: {
    section: SECTION,
    default: 'X-Nonce',
    allowed: `a header name, ${HMAC}`,
    meaning: 'header of the nonce, if the content uses {nonce}',
  },
  WEBHOOK_ID_POINTERS: {
    section: SECTION,
    default: null,
    allowed:
      'JSON pointers, comma-separated, each as it is or after originId=, movementId=, networkId=, requestId=',
    meaning: 'where a delivery carries ids, beside the fields that are found by their names',
  },
  WEBHOOK_DELIVERY_ID_POINTER: {
    section: SECTION,
    default: null,
    allowed: 'a JSON pointer such as /id',
    meaning:
      'where a delivery carries an id of its own; none: repeats are known by a signed id or their content',
  },
  WEBHOOK_DEBIT_POINTER: {
    section: SECTION,
    default: null,
    allowed: 'a JSON pointer such as /data/details/type',
    meaning: 'where a delivery carries its movement type; none: any field whose name ends in type',
  },
  WEBHOOK_DEBIT_TYPES: {
    section: SECTION,
    default: 'DEBIT_*',
    allowed: 'words, comma-separated; one that ends in * stands for all that begin so',
    meaning: 'movement types that are debits',
  },
  WEBHOOK_KEEP: {
    section: SECTION,
    default: '30d',
    allowed: 'a duration of at least 1h',
    meaning: 'deliveries that are done with are deleted after that',
  },
  WEBHOOKS_EXPECTED: {
    section: SECTION,
    default: null,
    allowed:
      'EVENT_TYPE=https://HOST/PATH, comma-separated; {secret} in an address: any of RECEIVER_PATH_SECRET_FILE',
    meaning: 'subscriptions that should be there, and where they should point',
    shown: 'never',
  },
  BANK_AUTH_STYLE_WEBHOOKS: {
    section: SECTION,
    default: 'bearer',
    allowed: 'raw or bearer',
    meaning:
      '`Authorization: <token>` or `Authorization: Bearer <token>` for the services about subscriptions',
  },
} as const satisfies Record<string, VariableSpec>;
