import type { HmacScheme } from '../signing/hmac';
import { readTemplate, uses } from '../signing/hmac-template';
import type { HmacTemplate } from '../signing/hmac-template';
import { headerName } from './header-name';
import { accept, oneOf, refuse } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';

/** First words of a set of variables that describe a scheme of signatures. */
export type HmacPrefix = 'BANK_HMAC' | 'WEBHOOK_HMAC';

const PREFIX_MAX_LENGTH = 200;

/** The scheme that `<prefix>_HEADER`, `_HASH`, `_ENCODING`, `_PREFIX`, `_CONTENT` and so on describe. */
export function readHmacScheme(reader: SettingsReader, prefix: HmacPrefix): HmacScheme {
  const scheme: HmacScheme = {
    header: reader.withDefault(`${prefix}_HEADER`, headerName),
    hash: reader.withDefault(`${prefix}_HASH`, oneOf(['sha256', 'sha512'])),
    encoding: reader.withDefault(`${prefix}_ENCODING`, oneOf(['hex', 'base64'])),
    prefix: reader.optional(`${prefix}_PREFIX`, prefixText) ?? '',
    content: reader.withDefault(`${prefix}_CONTENT`, content),
    timestampHeader: reader.withDefault(`${prefix}_TIMESTAMP_HEADER`, headerName),
    nonceHeader: reader.withDefault(`${prefix}_NONCE_HEADER`, headerName),
  };
  const taken = new Set([scheme.header.toLowerCase()]);
  for (const [name, header, used] of [
    [`${prefix}_TIMESTAMP_HEADER`, scheme.timestampHeader, uses(scheme.content, 'timestamp')],
    [`${prefix}_NONCE_HEADER`, scheme.nonceHeader, uses(scheme.content, 'nonce')],
  ] as const) {
    if (used && taken.has(header.toLowerCase())) reader.problem(name, 'is a header that is used already');
    if (used) taken.add(header.toLowerCase());
  }
  return scheme;
}

/** Names of the headers that requests under the scheme carry. */
export const headersOf = (scheme: HmacScheme): readonly string[] => [
  scheme.header,
  ...(uses(scheme.content, 'timestamp') ? [scheme.timestampHeader] : []),
  ...(uses(scheme.content, 'nonce') ? [scheme.nonceHeader] : []),
];

const content: Parser<HmacTemplate> = (text) => {
  const read = readTemplate(text);
  return read.ok ? accept(read.template) : refuse(read.reason);
};

/** It stands at the start of a header's value, where HTTP drops spaces. */
const prefixText: Parser<string> = (text) =>
  /^[\x21-\x7e][\x20-\x7e]*$/.test(text) && text.length <= PREFIX_MAX_LENGTH
    ? accept(text)
    : refuse('is not one line of printable ASCII text');
