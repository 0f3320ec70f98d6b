import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { HmacScheme } from '../signing/hmac';
import { uses } from '../signing/hmac-template';
import { readSettingsFile } from './files';
import { readHmacScheme } from './hmac';
import { accept, duration, hostAndPort, jsonPointer, listOf, oneOf, refuse, wholeNumber } from './parsers';
import type { Parsed, Parser } from './parsers';
import type { SettingsReader } from './reader';
import { readSecretLines, secretWithin } from './secret-lines';

/** The receiver without its secrets. */
export interface ReceiverConfig {
  readonly address: { readonly host: string; readonly port: number };
  readonly pathSecretFile: string;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly trustedHops: number;
  /** Null: no limit. */
  readonly maxRps: number | null;
  readonly verification:
    | { readonly kind: 'url-token' }
    | { readonly kind: 'standard'; readonly secretFile: string }
    | { readonly kind: 'hmac'; readonly secretFile: string; readonly scheme: HmacScheme };
  readonly idPointers: readonly IdPointerText[];
  readonly deliveryIdPointer: string | null;
  readonly debitPointer: string | null;
  readonly debitTypes: readonly string[];
  readonly keepMs: number;
}

export interface IdPointerText {
  /** Null: the id may be of any kind. */
  readonly kind: (typeof ID_KINDS)[number] | null;
  /** RFC 6901. */
  readonly pointer: string;
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

const ID_KINDS = ['originId', 'movementId', 'networkId', 'requestId'] as const;
const HOUR_MS = 3_600_000;

const HMAC_OPTIONS = [
  'WEBHOOK_HMAC_HEADER',
  'WEBHOOK_HMAC_HASH',
  'WEBHOOK_HMAC_ENCODING',
  'WEBHOOK_HMAC_PREFIX',
  'WEBHOOK_HMAC_CONTENT',
  'WEBHOOK_HMAC_TIMESTAMP_HEADER',
  'WEBHOOK_HMAC_NONCE_HEADER',
] as const;

export function readReceiver(
  reader: SettingsReader,
): { readonly config: ReceiverConfig; readonly secrets: ReceiverSecrets } | null {
  const pathSecrets = reader.required('RECEIVER_PATH_SECRET_FILE', fileAnd(readPathSecrets));
  const tls = readTls(reader);
  const verification = readVerification(reader);
  const maxRps = reader.withDefault('RECEIVER_MAX_RPS', wholeNumber(0, 100_000));
  const rest = {
    address: reader.withDefault('RECEIVER_ADDRESS', hostAndPort),
    trustedHops: reader.withDefault('RECEIVER_TRUSTED_HOPS', wholeNumber(0, 10)),
    maxRps: maxRps === 0 ? null : maxRps,
    idPointers: reader.optional('WEBHOOK_ID_POINTERS', listOf(idPointer)) ?? [],
    deliveryIdPointer: reader.optional('WEBHOOK_DELIVERY_ID_POINTER', jsonPointer),
    debitPointer: reader.optional('WEBHOOK_DEBIT_POINTER', jsonPointer),
    debitTypes: reader.withDefault('WEBHOOK_DEBIT_TYPES', listOf(typeWord)),
    keepMs: reader.withDefault('WEBHOOK_KEEP', duration({ minMs: HOUR_MS })),
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

function readVerification(
  reader: SettingsReader,
): { readonly config: ReceiverConfig['verification']; readonly secrets: readonly string[] } | null {
  const kind = reader.withDefault('WEBHOOK_VERIFY', oneOf(['url-token', 'standard', 'hmac']));
  const scheme = readHmacScheme(reader, 'WEBHOOK_HMAC');
  // A half-made configuration must not end in deliveries that nobody verifies.
  if (kind !== 'hmac') {
    for (const name of HMAC_OPTIONS)
      if (reader.isSet(name)) reader.problem(name, 'WEBHOOK_VERIFY is not hmac');
  }
  if (kind === 'url-token') {
    if (reader.isSet('WEBHOOK_SECRET_FILE'))
      reader.problem('WEBHOOK_SECRET_FILE', 'WEBHOOK_VERIFY is url-token, which looks at no signature');
    return { config: { kind }, secrets: [] };
  }
  if (kind === 'hmac' && !uses(scheme.content, 'body') && !uses(scheme.content, 'bodySha256'))
    reader.problem('WEBHOOK_HMAC_CONTENT', 'covers no byte of the body: it needs {body} or {bodySha256}');
  const read = kind === 'hmac' ? readHmacSecrets : readStandardSecrets;
  const source = reader.required('WEBHOOK_SECRET_FILE', fileAnd(read));
  if (source === null) return null;
  const { file: secretFile, value: secrets } = source;
  return { config: kind === 'hmac' ? { kind, secretFile, scheme } : { kind, secretFile }, secrets };
}

/** Letters, digits and marks that stand in a path as they are. */
const pathSecret = secretWithin(
  8,
  500,
  /^[A-Za-z0-9._~-]+$/,
  'has characters other than letters, digits, . _ ~ or -',
);

export const readPathSecrets = (path: string): Parsed<readonly string[]> => readSecretLines(path, pathSecret);

const standardSecret = secretWithin(
  24,
  500,
  /^(?:whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  'is not base64, with or without whsec_ before it',
);

export const readStandardSecrets = (path: string): Parsed<readonly string[]> =>
  readSecretLines(path, standardSecret);

const hmacSecret = secretWithin(8, 5_000, /^\P{Cc}+$/u, 'has control characters');

export const readHmacSecrets = (path: string): Parsed<readonly string[]> => readSecretLines(path, hmacSecret);

/** The pair, checked to belong together. */
export function readTlsFiles(certFile: string, keyFile: string): Parsed<TlsFiles> {
  const cert = readSettingsFile(certFile);
  if (!cert.ok) return cert;
  const key = readSettingsFile(keyFile);
  if (!key.ok) return key;
  try {
    if (!new X509Certificate(cert.value).checkPrivateKey(createPrivateKey(key.value)))
      return refuse(`the certificate in ${certFile} is not that of the key in ${keyFile}`);
  } catch {
    // The parser's own words may repeat a piece of the file.
    return refuse(`the files ${certFile} and ${keyFile} are no PEM certificate and unencrypted PEM key`);
  }
  return accept({ certPem: cert.value, keyPem: key.value });
}

function readTls(reader: SettingsReader): (TlsFiles & { certFile: string; keyFile: string }) | null {
  const certFile = reader.optional('RECEIVER_TLS_CERT_FILE', accept<string>);
  const keyFile = reader.optional('RECEIVER_TLS_KEY_FILE', accept<string>);
  if (certFile === null && keyFile === null) return null;
  if (certFile === null) return reader.problem('RECEIVER_TLS_KEY_FILE', 'RECEIVER_TLS_CERT_FILE is not set');
  if (keyFile === null) return reader.problem('RECEIVER_TLS_CERT_FILE', 'RECEIVER_TLS_KEY_FILE is not set');
  const files = readTlsFiles(certFile, keyFile);
  return files.ok
    ? { ...files.value, certFile, keyFile }
    : reader.problem('RECEIVER_TLS_CERT_FILE', files.reason);
}

const fileAnd =
  <T>(read: (path: string) => Parsed<T>): Parser<{ readonly file: string; readonly value: T }> =>
  (file) => {
    const parsed = read(file);
    return parsed.ok ? accept({ file, value: parsed.value }) : parsed;
  };

const idPointer: Parser<IdPointerText> = (text) => {
  const [, word, pointer = text] = /^([A-Za-z]+)=(.*)$/s.exec(text) ?? [];
  const kind = ID_KINDS.find((candidate) => candidate === word) ?? null;
  if (word !== undefined && kind === null) return refuse('names no kind of id');
  const parsed = jsonPointer(pointer);
  return parsed.ok ? accept({ kind, pointer: parsed.value }) : parsed;
};

const typeWord: Parser<string> = (text) =>
  /^[A-Za-z0-9_.-]{1,64}\*?$/.test(text)
    ? accept(text)
    : refuse('is not a word, with or without * at its end');
