import { serviceUrl } from './address';
import { readSecretFile } from './files';
import { accept, jsonPointer, noted, oneOf, refuse } from './formats';
import type { Parsed, Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** Where the access token comes from. */
export type BankTokenSource =
  | { readonly kind: 'static'; readonly token: string }
  /** `token` is what the file held at start; the file may change. */
  | { readonly kind: 'file'; readonly file: string; readonly token: string }
  | {
      readonly kind: 'service';
      readonly url: string;
      /** File of the text to POST (`readTokenRequest`), which may change; null: an empty body. */
      readonly requestFile: string | null;
      readonly requestType: 'json' | 'form';
      readonly tokenPointer: string;
      readonly expiresPointer: string;
      readonly expiresUnit: 's' | 'ms';
    };

const TOKEN_MAX_LENGTH = 16_384;

/** A token goes into a header: one line of printable ASCII. */
const tokenText: Parser<string> = (text) => {
  if (text.length > TOKEN_MAX_LENGTH) return refuse(`holds more than ${TOKEN_MAX_LENGTH} characters`);
  if (!/^[\x20-\x7e]+$/.test(text)) return refuse('holds characters that cannot stand in a header');
  return text.trim() === text ? accept(text) : refuse('begins or ends with a space');
};

const EXACTLY_ONE = 'exactly one of BANK_TOKEN, BANK_TOKEN_FILE, BANK_TOKEN_URL';
const FROM_SERVICE = ', with BANK_TOKEN_URL';

export const BANK_TOKEN_SOURCES = variables('Bank', {
  BANK_TOKEN: {
    parse: tokenText,
    allowed: `${EXACTLY_ONE}; printable ASCII text`,
    meaning: 'access token that never changes',
    shown: 'never',
  },
  BANK_TOKEN_FILE: {
    parse: (file): Parsed<BankTokenSource> => {
      const token = readTokenFile(file);
      return token.ok ? accept({ kind: 'file', file, token: token.value }) : token;
    },
    allowed: `${EXACTLY_ONE}; the path of a file with printable ASCII text`,
    meaning: 'access token in a file; a trailing line feed is not part of it',
  },
  BANK_TOKEN_URL: {
    parse: serviceUrl,
    allowed: `${EXACTLY_ONE}; https://HOST[:PORT]/PATH without credentials or fragment; http:// only on loopback`,
    meaning: 'token service: its address, asked by POST with the same TLS settings as the bank',
    shown: 'url',
  },
});

export const BANK_TOKEN_SERVICE = variables('Bank', {
  BANK_TOKEN_REQUEST_FILE: {
    parse: requestFile,
    allowed: `the path of a file${FROM_SERVICE}; JSON when BANK_TOKEN_REQUEST_TYPE is json`,
    meaning: 'token service: file with the body to POST, byte for byte, without a trailing line feed',
  },
  BANK_TOKEN_REQUEST_TYPE: {
    ...noted(oneOf(['json', 'form']), FROM_SERVICE),
    default: 'json',
    meaning: 'token service: application/json or application/x-www-form-urlencoded',
  },
  BANK_TOKEN_POINTER: {
    ...noted(jsonPointer, FROM_SERVICE),
    default: '/access_token',
    meaning: 'token service: position of the token in its answer',
  },
  BANK_TOKEN_EXPIRES_POINTER: {
    ...noted(jsonPointer, FROM_SERVICE),
    default: '/expires_in',
    meaning:
      "token service: position of the token's lifetime in its answer; if absent, the token is used until a 401",
  },
  BANK_TOKEN_EXPIRES_UNIT: {
    ...noted(oneOf(['s', 'ms']), FROM_SERVICE),
    default: 's',
    meaning: 'token service: unit of that lifetime',
  },
});

export function readBankToken(reader: SettingsReader): BankTokenSource | null {
  const { BANK_TOKEN, BANK_TOKEN_FILE, BANK_TOKEN_URL } = BANK_TOKEN_SOURCES;
  const service = readTokenService(reader);
  const [source, another] = [BANK_TOKEN, BANK_TOKEN_FILE, BANK_TOKEN_URL].filter((one) => reader.isSet(one));
  if (source === undefined) return reader.problem(BANK_TOKEN, 'no source of the access token is configured');
  if (another !== undefined) return reader.problem(source, `${another.name} is set too`);
  if (source === BANK_TOKEN_URL) return service;
  if (source === BANK_TOKEN_FILE) return reader.read(BANK_TOKEN_FILE);
  const token = reader.read(BANK_TOKEN);
  return token === null ? null : { kind: 'static', token };
}

export function readTokenFile(file: string): Parsed<string> {
  const content = readSecretFile(file);
  if (!content.ok) return content;
  const token = tokenText(content.value);
  return token.ok ? token : refuse(`the file ${file} ${token.reason}`);
}

function readTokenService(reader: SettingsReader): BankTokenSource | null {
  const { BANK_TOKEN_URL } = BANK_TOKEN_SOURCES;
  for (const option of Object.values(BANK_TOKEN_SERVICE)) reader.needs(option, BANK_TOKEN_URL);
  const url = reader.read(BANK_TOKEN_URL);
  const service = {
    requestFile: reader.read(BANK_TOKEN_SERVICE.BANK_TOKEN_REQUEST_FILE),
    requestType: reader.read(BANK_TOKEN_SERVICE.BANK_TOKEN_REQUEST_TYPE),
    tokenPointer: reader.read(BANK_TOKEN_SERVICE.BANK_TOKEN_POINTER),
    expiresPointer: reader.read(BANK_TOKEN_SERVICE.BANK_TOKEN_EXPIRES_POINTER),
    expiresUnit: reader.read(BANK_TOKEN_SERVICE.BANK_TOKEN_EXPIRES_UNIT),
  } as const;
  return url === null ? null : { kind: 'service', url, ...service };
}

function requestFile(file: string, reader: SettingsReader): Parsed<string> {
  const request = readTokenRequest(file, reader.read(BANK_TOKEN_SERVICE.BANK_TOKEN_REQUEST_TYPE));
  return request.ok ? accept(file) : request;
}

/** The body to POST, without a trailing line feed, which would be part of a form's last value. */
export function readTokenRequest(file: string, type: 'json' | 'form'): Parsed<string> {
  const request = readSecretFile(file);
  if (!request.ok || type === 'form') return request;
  try {
    JSON.parse(request.value);
    return request;
  } catch {
    // The parser's own message would repeat a piece of the file.
    return refuse(`the file ${file} is not JSON`);
  }
}
