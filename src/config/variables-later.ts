import type { VariableSpec } from './variable-spec';

const SECTION = 'Not in this version';

/** Security that a run must not go without in silence: set → refused. */
const refused = (meaning: string, defaultText: string | null = null) =>
  ({
    section: SECTION,
    default: defaultText,
    allowed: 'not set',
    meaning,
    shown: 'never',
    stage: 'refused',
  }) as const satisfies VariableSpec;

/** Settings of parts that this version does not have: set → a warning. */
const unused = (meaning: string, defaultText: string | null = null) =>
  ({
    section: SECTION,
    default: defaultText,
    allowed: 'not read',
    meaning,
    shown: 'never',
    stage: 'unused',
  }) as const satisfies VariableSpec;

/** Names that the public contract reserves for parts still to come. */
export const LATER_VARIABLES = {
  BANK_TOKEN_URL: refused('token service: its address'),
  BANK_TOKEN_REQUEST_FILE: refused('token service: the body to POST'),
  BANK_TOKEN_REQUEST_TYPE: refused('token service: type of that body', 'json'),
  BANK_TOKEN_POINTER: refused('token service: where its answer carries the token', '/access_token'),
  BANK_TOKEN_EXPIRES_POINTER: refused('token service: where its answer carries the lifetime', '/expires_in'),
  BANK_TOKEN_EXPIRES_UNIT: refused('token service: unit of the lifetime', 's'),
  BANK_CLIENT_CERT_FILE: refused('mutual TLS with the bank: certificate'),
  BANK_CLIENT_KEY_FILE: refused('mutual TLS with the bank: key'),
  BANK_CLIENT_KEY_PASSPHRASE_FILE: refused("mutual TLS with the bank: the key's passphrase"),
  BANK_HMAC_SECRET_FILE: refused('signed requests: secret'),
  BANK_HMAC_HEADER: refused('signed requests: header of the signature', 'X-Signature'),
  BANK_HMAC_HASH: refused('signed requests: hash', 'sha256'),
  BANK_HMAC_ENCODING: refused('signed requests: encoding', 'hex'),
  BANK_HMAC_PREFIX: refused('signed requests: text before the signature'),
  BANK_HMAC_CONTENT: refused('signed requests: template of what is signed'),
  BANK_HMAC_TIMESTAMP_HEADER: refused('signed requests: header of the time', 'X-Timestamp'),
  BANK_HMAC_NONCE_HEADER: refused('signed requests: header of the nonce', 'X-Nonce'),
  BANK_AUTH_STYLE_KYC: unused('identity verification: style of the Authorization header', 'raw'),
  BANK_AUTH_STYLE_WEBHOOKS: unused('webhook services: style of the Authorization header', 'bearer'),
  BANK_KYC_METHOD: unused('identity verification: HTTP method', 'GET'),
  BANK_MAX_RPS: unused('calls a second from one worker: not limited yet', '100'),
  RECONCILE_MAX_RPS: unused('reconciliation: calls a second', '10'),
  POLL_KYC: unused('identity verification: first gap', '1m'),
  POLL_KYC_MAX: unused('identity verification: longest gap', '15m'),
  KYC_STATUS_MAP: unused('identity verification: what the words mean', 'Pendiente=pending'),
  KYC_STORE: unused('identity verification: what is kept', 'none'),
  ATTENTION_AFTER_KYC: unused('identity verification: flagged after that', '7d'),
  RECEIVER_ADDRESS: unused('webhook receiver: address', '127.0.0.1:8080'),
  RECEIVER_PATH_SECRET_FILE: unused('webhook receiver: secret of the path'),
  WEBHOOK_VERIFY: unused('webhook receiver: how deliveries are verified', 'url-token'),
  WEBHOOK_SECRET_FILE: unused('webhook receiver: secret'),
  WEBHOOK_HMAC_HEADER: unused('webhook receiver: header of the signature', 'X-Signature'),
  WEBHOOK_HMAC_HASH: unused('webhook receiver: hash', 'sha256'),
  WEBHOOK_HMAC_ENCODING: unused('webhook receiver: encoding', 'hex'),
  WEBHOOK_HMAC_PREFIX: unused('webhook receiver: text before the signature'),
  WEBHOOK_HMAC_CONTENT: unused('webhook receiver: template of what is signed'),
  WEBHOOK_HMAC_TIMESTAMP_HEADER: unused('webhook receiver: header of the time', 'X-Timestamp'),
  WEBHOOK_HMAC_NONCE_HEADER: unused('webhook receiver: header of the nonce', 'X-Nonce'),
  WEBHOOK_ID_POINTERS: unused('webhook receiver: where a delivery carries our ids'),
  WEBHOOK_DEBIT_POINTER: unused('webhook receiver: where a delivery carries its movement type'),
  WEBHOOK_DEBIT_TYPES: unused('webhook receiver: movement types that are debits'),
  WEBHOOKS_EXPECTED: unused('webhook receiver: event types that should be subscribed'),
};
