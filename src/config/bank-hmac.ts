import type { HmacScheme } from '../signing/hmac';
import { readSecretFile } from './files';
import { headersOf, readHmacScheme } from './hmac';
import { accept } from './parsers';
import type { SettingsReader } from './reader';

export interface BankHmac {
  readonly scheme: HmacScheme;
  readonly file: string;
  /** What the file held at start; the file may change. */
  readonly secret: string;
}

const OPTIONS = [
  'BANK_HMAC_HEADER',
  'BANK_HMAC_HASH',
  'BANK_HMAC_ENCODING',
  'BANK_HMAC_PREFIX',
  'BANK_HMAC_CONTENT',
  'BANK_HMAC_TIMESTAMP_HEADER',
  'BANK_HMAC_NONCE_HEADER',
] as const;

/** Null: requests are not signed. `headers` are those of every request, which must leave the signature's free. */
export function readBankHmac(
  reader: SettingsReader,
  headers: Readonly<Record<string, string>>,
): BankHmac | null {
  const scheme = readHmacScheme(reader, 'BANK_HMAC');
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
  const own = new Set(headersOf(scheme).map((name) => name.toLowerCase()));
  const clash = Object.keys(headers).find((name) => own.has(name.toLowerCase()));
  if (clash !== undefined)
    reader.problem('BANK_HEADERS_FILE', `has the header ${clash}, which the signature uses`);
  return source === null ? null : { scheme, ...source };
}
