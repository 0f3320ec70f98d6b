import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { fileAnd, readClosedFile, readSecretLines, readSettingsFile, secretWithin } from './files';
import { accept, anyText, hostAndPort, noted, refuse, wholeNumber } from './formats';
import type { Parsed, Parser } from './formats';
import { parseSealKey } from '../codec/receiver-key';
import type { SealKey } from '../codec/receiver-key';
import { variables } from './variable';
import type { SettingsReader } from './variable';
import { PROCESS } from './process';
import { WEBHOOK_READING } from './webhook-reading';
import { readVerification } from './webhook-verification';
import type { WebhookVerification } from './webhook-verification';

/** The receiver without its secrets. */
export interface ReceiverConfig {
  readonly address: { readonly host: string; readonly port: number };
  /** Where health and metrics are served; null: nowhere. */
  readonly httpAddress: { readonly host: string; readonly port: number } | null;
  readonly pathSecretFile: string;
  /** RFC 6901; null: repeats are known by a signed id or their content. */
  readonly deliveryIdPointer: string | null;
  readonly quotas: InboxQuotas;
  /** Null: notifications are stored in clear. */
  readonly sealKey: SealKey | null;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly trustedHops: number;
  /** Null: no limit. */
  readonly maxRps: number | null;
  readonly verification: WebhookVerification;
}

/** Limits of the inbox, processed notifications included. */
export interface InboxQuotas {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** What the files held at start; they may change. */
export interface ReceiverSecrets {
  readonly pathSecrets: readonly string[];
  /** Empty with `url-token`. */
  readonly signingSecrets: readonly string[];
  readonly tls: TlsFiles | null;
}

export interface TlsFiles {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Letters, digits and marks that need no escaping in a path. */
const pathSecret = secretWithin(
  32,
  500,
  /^[A-Za-z0-9._~-]+$/,
  'has characters other than letters, digits, . _ ~ or -',
);

export const readPathSecrets = (path: string): Parsed<readonly string[]> => readSecretLines(path, pathSecret);

const sealKey: Parser<SealKey> = (path) => {
  const file = readSettingsFile(path);
  if (!file.ok) return file;
  const parsed = parseSealKey(file.value);
  return parsed.ok ? accept(parsed.value) : refuse(`the file ${path} ${parsed.reason}`);
};

export const RECEIVER = variables('Webhooks', {
  RECEIVER_ADDRESS: {
    ...hostAndPort,
    default: '127.0.0.1:8080',
    meaning: 'where the receiver listens',
  },
  RECEIVER_PATH_SECRET_FILE: {
    parse: fileAnd(readPathSecrets),
    allowed:
      'the path of a file with one or more secrets of 32 to 500 letters, digits, . _ ~ or -, one on each line',
    meaning: 'secrets accepted as the last segment of /webhooks/<secret>; re-read when the file changes',
  },
  RECEIVER_SEAL_KEY_FILE: {
    parse: sealKey,
    allowed: 'the path of a file that codec-keygen --receiver-out wrote',
    meaning:
      'public key that notifications are sealed to; none = they are stored in clear, with a warning at start',
  },
  RECEIVER_INBOX_MAX_ROWS: {
    ...wholeNumber(1, 1_000_000_000),
    default: '1000000',
    meaning:
      'maximum number of notifications in the inbox, processed ones included; beyond it the receiver answers 503',
  },
  RECEIVER_INBOX_MAX_BYTES: {
    ...wholeNumber(1_048_576, 1_099_511_627_776),
    default: '2147483648',
    meaning: 'maximum size of all bodies in the inbox, in bytes; beyond it the receiver answers 503',
  },
  RECEIVER_TLS_CERT_FILE: {
    parse: anyText,
    allowed: 'the path of a PEM file, with RECEIVER_TLS_KEY_FILE',
    meaning: 'certificate of the receiver, then its chain; none = plain HTTP behind a proxy',
  },
  RECEIVER_TLS_KEY_FILE: {
    parse: anyText,
    allowed: 'the path of a PEM file, with RECEIVER_TLS_CERT_FILE',
    meaning: 'key of that certificate; both are re-read when they change',
  },
  RECEIVER_TRUSTED_HOPS: {
    ...wholeNumber(0, 10),
    default: '0',
    meaning: 'number of proxies in front whose X-Forwarded-* headers the receiver trusts; 0 = none',
  },
  RECEIVER_MAX_RPS: {
    ...noted(wholeNumber(0, 100_000), '; 0 = no limit'),
    default: '1000',
    meaning:
      'maximum number of requests a second from one source; the receiver answers further requests with 429',
  },
});

export function readReceiver(
  reader: SettingsReader,
): { readonly config: ReceiverConfig; readonly secrets: ReceiverSecrets } | null {
  const pathSecrets = reader.required(RECEIVER.RECEIVER_PATH_SECRET_FILE);
  const tls = readTls(reader);
  const verification = readVerification(reader);
  const maxRps = reader.read(RECEIVER.RECEIVER_MAX_RPS);
  const rest = {
    address: reader.read(RECEIVER.RECEIVER_ADDRESS),
    quotas: {
      maxRows: reader.read(RECEIVER.RECEIVER_INBOX_MAX_ROWS),
      maxBytes: reader.read(RECEIVER.RECEIVER_INBOX_MAX_BYTES),
    },
    sealKey: reader.read(RECEIVER.RECEIVER_SEAL_KEY_FILE),
    trustedHops: reader.read(RECEIVER.RECEIVER_TRUSTED_HOPS),
    maxRps: maxRps === 0 ? null : maxRps,
    httpAddress: reader.read(PROCESS.GIRO_HTTP_ADDRESS),
    deliveryIdPointer: reader.read(WEBHOOK_READING.WEBHOOK_DELIVERY_ID_POINTER),
  };
  if (pathSecrets === null || verification === null) return null;
  return {
    config: {
      ...rest,
      pathSecretFile: pathSecrets.file,
      tls: tls === null ? null : { certFile: tls.certFile, keyFile: tls.keyFile },
      verification: verification.config,
    },
    secrets: { pathSecrets: pathSecrets.value, signingSecrets: verification.secrets, tls },
  };
}

/** Certificate and key, checked to belong together. */
export function readTlsFiles(certFile: string, keyFile: string): Parsed<TlsFiles> {
  const cert = readSettingsFile(certFile);
  if (!cert.ok) return cert;
  const key = readClosedFile(keyFile);
  if (!key.ok) return key;
  try {
    if (!new X509Certificate(cert.value).checkPrivateKey(createPrivateKey(key.value)))
      return refuse(`the certificate in ${certFile} is not that of the key in ${keyFile}`);
    // Also reads the certificates after the first one.
    createSecureContext({ cert: cert.value, key: key.value });
  } catch {
    // The parser's own message may repeat a piece of the file.
    return refuse(
      `the files ${certFile} and ${keyFile} are not a PEM certificate and an unencrypted PEM key`,
    );
  }
  return accept({ certPem: cert.value, keyPem: key.value });
}

function readTls(reader: SettingsReader): (TlsFiles & { certFile: string; keyFile: string }) | null {
  const { RECEIVER_TLS_CERT_FILE, RECEIVER_TLS_KEY_FILE } = RECEIVER;
  const certFile = reader.read(RECEIVER_TLS_CERT_FILE);
  const keyFile = reader.read(RECEIVER_TLS_KEY_FILE);
  reader.needs(RECEIVER_TLS_KEY_FILE, RECEIVER_TLS_CERT_FILE);
  reader.needs(RECEIVER_TLS_CERT_FILE, RECEIVER_TLS_KEY_FILE);
  if (certFile === null || keyFile === null) return null;
  const key = readClosedFile(keyFile);
  if (!key.ok) return reader.problem(RECEIVER_TLS_KEY_FILE, key.reason);
  const files = readTlsFiles(certFile, keyFile);
  return files.ok
    ? { ...files.value, certFile, keyFile }
    : reader.problem(RECEIVER_TLS_CERT_FILE, files.reason);
}
