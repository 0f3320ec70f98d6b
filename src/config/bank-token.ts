import { tokenUrl } from './bank-url';
import { readSecretFile } from './files';
import { accept, jsonPointer, oneOf, refuse } from './parsers';
import type { Parsed, Parser } from './parsers';
import type { SettingsReader } from './reader';
import type { VariableName } from './variables';

/** Where the access token comes from. */
export type BankTokenSource =
  | { readonly kind: 'static'; readonly token: string }
  /** `token` is what the file held at start; the file may change. */
  | { readonly kind: 'file'; readonly file: string; readonly token: string }
  | {
      readonly kind: 'service';
      readonly url: string;
      /** Of the text to POST (`readTokenRequest`), which may change; null: an empty body. */
      readonly requestFile: string | null;
      readonly requestType: 'json' | 'form';
      readonly tokenPointer: string;
      readonly expiresPointer: string;
      readonly expiresUnit: 's' | 'ms';
    };

const SOURCES = ['BANK_TOKEN', 'BANK_TOKEN_FILE', 'BANK_TOKEN_URL'] as const;

const SERVICE_OPTIONS = [
  'BANK_TOKEN_REQUEST_FILE',
  'BANK_TOKEN_REQUEST_TYPE',
  'BANK_TOKEN_POINTER',
  'BANK_TOKEN_EXPIRES_POINTER',
  'BANK_TOKEN_EXPIRES_UNIT',
] as const satisfies readonly VariableName[];

const TOKEN_MAX_LENGTH = 16_384;

export function readBankToken(reader: SettingsReader): BankTokenSource | null {
  const service = readTokenService(reader);
  const [source, another] = SOURCES.filter((name) => reader.isSet(name));
  if (source === undefined)
    return reader.problem('BANK_TOKEN', 'no source of the access token is configured');
  if (another !== undefined) return reader.problem(source, `${another} is set too`);
  if (source === 'BANK_TOKEN_URL') return service;
  if (source === 'BANK_TOKEN') {
    const token = reader.optional(source, tokenText);
    return token === null ? null : { kind: 'static', token };
  }
  return reader.optional(source, (file): Parsed<BankTokenSource> => {
    const token = readTokenFile(file);
    return token.ok ? accept({ kind: 'file', file, token: token.value }) : token;
  });
}

export function readTokenFile(file: string): Parsed<string> {
  const content = readSecretFile(file);
  if (!content.ok) return content;
  const token = tokenText(content.value);
  return token.ok ? token : refuse(`the file ${file} ${token.reason}`);
}

/** A token goes into a header: one line of printable ASCII. */
const tokenText: Parser<string> = (text) => {
  if (text.length > TOKEN_MAX_LENGTH) return refuse(`holds more than ${TOKEN_MAX_LENGTH} characters`);
  if (!/^[\x20-\x7e]+$/.test(text)) return refuse('holds characters that cannot stand in a header');
  return text.trim() === text ? accept(text) : refuse('begins or ends with a space');
};

function readTokenService(reader: SettingsReader): BankTokenSource | null {
  if (!reader.isSet('BANK_TOKEN_URL')) {
    for (const name of SERVICE_OPTIONS)
      if (reader.isSet(name)) reader.problem(name, 'BANK_TOKEN_URL is not set');
  }
  const url = reader.optional('BANK_TOKEN_URL', tokenUrl);
  const requestType = reader.withDefault('BANK_TOKEN_REQUEST_TYPE', oneOf(['json', 'form']));
  const service = {
    requestFile: reader.optional('BANK_TOKEN_REQUEST_FILE', (file) => {
      const request = readTokenRequest(file, requestType);
      return request.ok ? accept(file) : request;
    }),
    requestType,
    tokenPointer: reader.withDefault('BANK_TOKEN_POINTER', jsonPointer),
    expiresPointer: reader.withDefault('BANK_TOKEN_EXPIRES_POINTER', jsonPointer),
    expiresUnit: reader.withDefault('BANK_TOKEN_EXPIRES_UNIT', oneOf(['s', 'ms'])),
  } as const;
  return url === null ? null : { kind: 'service', url, ...service };
}

/** The body to POST, sent as it stands without a trailing line feed, which would be part of a form's last value. */
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
