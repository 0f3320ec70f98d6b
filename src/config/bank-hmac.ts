import { MESSAGE_HEADERS } from '../signing/message-signature';
import { SCHEME_KINDS } from '../signing/signature-scheme';
import type { SignatureScheme } from '../signing/signature-scheme';
import { readSecretFile } from './files';
import { accept, noted, oneOf, printable } from './formats';
import { FURTHER_HEADERS } from './headers';
import { headersOf, hmacVariables, readHmacScheme } from './hmac';
import { variables } from './variable';
import type { SettingsReader } from './variable';

export interface BankHmac {
  readonly scheme: SignatureScheme;
  readonly file: string;
  /** What the file held at start; the file may change. */
  readonly secret: string;
}

const SIGNED = 'with BANK_HMAC_SECRET_FILE';
const KEY_ID_MAX_LENGTH = 200;

export const BANK_HMAC = variables('Bank', {
  BANK_HMAC_SECRET_FILE: {
    parse: (file) => {
      const secret = readSecretFile(file);
      return secret.ok ? accept({ file, secret: secret.value }) : secret;
    },
    allowed: 'the path of a file with text',
    meaning: 'secret that signs transfer-request and get-movement; a trailing line feed is not part of it',
  },
  BANK_HMAC_SCHEME: {
    ...noted(oneOf(SCHEME_KINDS), `, ${SIGNED}`),
    default: 'template',
    meaning:
      'how requests are signed. template: as BANK_HMAC_HEADER to BANK_HMAC_NONCE_HEADER say. rfc9421: HTTP Message Signatures ' +
      '(RFC 9421, hmac-sha256) over method, URL and Content-Digest',
  },
  BANK_HMAC_KEY_ID: {
    ...noted(printable(KEY_ID_MAX_LENGTH), ', with BANK_HMAC_SCHEME=rfc9421'),
    meaning: 'keyid of the signature',
  },
});

export const BANK_HMAC_TEMPLATE = hmacVariables('Bank', 'BANK_HMAC', SIGNED, {
  allowed:
    String.raw`text with {timestamp}, {nonce}, {method}, {path}, {pathTrimmed}, {query}, {url}, {body}, {bodySha256} ` +
    String.raw`and \n, \r, \t, \\`,
  meaning: 'what is signed',
});

/** Null: requests are not signed. `headers`: the headers of every request; they must not include the signature's. */
export function readBankHmac(
  reader: SettingsReader,
  headers: Readonly<Record<string, string>>,
): BankHmac | null {
  const { BANK_HMAC_SECRET_FILE, BANK_HMAC_SCHEME, BANK_HMAC_KEY_ID } = BANK_HMAC;
  const scheme = readScheme(reader);
  const source = reader.read(BANK_HMAC_SECRET_FILE);
  if (!reader.isSet(BANK_HMAC_SECRET_FILE)) {
    // An incomplete configuration must not lead to unsigned requests.
    for (const option of [BANK_HMAC_SCHEME, BANK_HMAC_KEY_ID, ...Object.values(BANK_HMAC_TEMPLATE)])
      reader.needs(option, BANK_HMAC_SECRET_FILE);
    return null;
  }
  const own = new Set(
    (scheme.kind === 'template' ? headersOf(scheme.template) : MESSAGE_HEADERS).map((name) =>
      name.toLowerCase(),
    ),
  );
  const clash = Object.keys(headers).find((name) => own.has(name.toLowerCase()));
  if (clash !== undefined)
    reader.problem(FURTHER_HEADERS.BANK_HEADERS_FILE, `has the header ${clash}, which the signature uses`);
  return source === null ? null : { scheme, ...source };
}

/** Options of the other scheme would have no effect, so they are refused. */
export function readScheme(reader: SettingsReader): SignatureScheme {
  const kind = reader.read(BANK_HMAC.BANK_HMAC_SCHEME);
  const keyId = reader.read(BANK_HMAC.BANK_HMAC_KEY_ID);
  if (kind === 'template') {
    reader.refuseIfSet([BANK_HMAC.BANK_HMAC_KEY_ID], 'BANK_HMAC_SCHEME is not rfc9421');
    return { kind, template: readHmacScheme(reader, BANK_HMAC_TEMPLATE) };
  }
  reader.refuseIfSet(Object.values(BANK_HMAC_TEMPLATE), 'BANK_HMAC_SCHEME is rfc9421');
  return { kind, message: { keyId } };
}
