import { MESSAGE_HEADERS } from '../signing/message-signature';
import { SCHEME_KINDS } from '../signing/signature-scheme';
import type { SignatureScheme } from '../signing/signature-scheme';
import { readSecretFile } from './files';
import { headersOf, readHmacScheme } from './hmac';
import { accept, oneOf, printable } from './parsers';
import type { SettingsReader } from './reader';

export interface BankHmac {
  readonly scheme: SignatureScheme;
  readonly file: string;
  /** What the file held at start; the file may change. */
  readonly secret: string;
}

const TEMPLATE_OPTIONS = [
  'BANK_HMAC_HEADER',
  'BANK_HMAC_HASH',
  'BANK_HMAC_ENCODING',
  'BANK_HMAC_PREFIX',
  'BANK_HMAC_CONTENT',
  'BANK_HMAC_TIMESTAMP_HEADER',
  'BANK_HMAC_NONCE_HEADER',
] as const;
const OPTIONS = ['BANK_HMAC_SCHEME', 'BANK_HMAC_KEY_ID', ...TEMPLATE_OPTIONS] as const;

const KEY_ID_MAX_LENGTH = 200;

/** Null: requests are not signed. `headers` are those of every request, which must leave the signature's free. */
export function readBankHmac(
  reader: SettingsReader,
  headers: Readonly<Record<string, string>>,
): BankHmac | null {
  const scheme = readScheme(reader);
  const source = reader.optional('BANK_HMAC_SECRET_FILE', (file) => {
    const secret = readSecretFile(file);
    return secret.ok ? accept({ file, secret: secret.value }) : secret;
  });
  if (!reader.isSet('BANK_HMAC_SECRET_FILE')) {
    // A half-made configuration must not end in requests without a signature.
    for (const name of OPTIONS)
      if (reader.isSet(name)) reader.problem(name, 'BANK_HMAC_SECRET_FILE is not set');
    return null;
  }
  const own = new Set(
    (scheme.kind === 'template' ? headersOf(scheme.template) : MESSAGE_HEADERS).map((name) =>
      name.toLowerCase(),
    ),
  );
  const clash = Object.keys(headers).find((name) => own.has(name.toLowerCase()));
  if (clash !== undefined)
    reader.problem('BANK_HEADERS_FILE', `has the header ${clash}, which the signature uses`);
  return source === null ? null : { scheme, ...source };
}

/** The options of one scheme next to the other would be a wish that is not fulfilled. */
export function readScheme(reader: SettingsReader): SignatureScheme {
  const kind = reader.withDefault('BANK_HMAC_SCHEME', oneOf(SCHEME_KINDS));
  const keyId = reader.optional('BANK_HMAC_KEY_ID', printable(KEY_ID_MAX_LENGTH));
  if (kind === 'template') {
    if (reader.isSet('BANK_HMAC_KEY_ID'))
      reader.problem('BANK_HMAC_KEY_ID', 'BANK_HMAC_SCHEME is not rfc9421');
    return { kind, template: readHmacScheme(reader, 'BANK_HMAC') };
  }
  for (const name of TEMPLATE_OPTIONS)
    if (reader.isSet(name)) reader.problem(name, 'BANK_HMAC_SCHEME is rfc9421');
  return { kind, message: { keyId } };
}
