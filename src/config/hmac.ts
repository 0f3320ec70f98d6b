import type { HmacScheme } from '../signing/hmac';
import { readTemplate, uses } from '../signing/hmac-template';
import type { HmacTemplate } from '../signing/hmac-template';
import { accept, noted, oneOf, refuse } from './formats';
import type { Parser } from './formats';
import { headerName } from './headers';
import { variable } from './variable';
import type { Section, SettingsReader } from './variable';

const PREFIX_MAX_LENGTH = 200;

const content: Parser<HmacTemplate> = (text) => {
  const read = readTemplate(text);
  return read.ok ? accept(read.template) : refuse(read.reason);
};

/** The prefix starts a header's value, where HTTP drops spaces. */
const prefixText: Parser<string> = (text) =>
  /^[\x21-\x7e][\x20-\x7e]*$/.test(text) && text.length <= PREFIX_MAX_LENGTH
    ? accept(text)
    : refuse('is not one line of printable ASCII text');

const CONTENT = String.raw`{timestamp}\n{nonce}\n{method}\n{path}\n{bodySha256}`;

/**
 * The variables that describe a scheme of signatures. `needs` (`with …`) says when they take effect; `content` holds
 * what differs between signing and verifying.
 */
export const hmacVariables = (
  section: Section,
  prefix: 'BANK_HMAC' | 'WEBHOOK_HMAC',
  needs: string,
  texts: { readonly allowed: string; readonly meaning: string },
) => ({
  header: variable(section, `${prefix}_HEADER`, {
    ...noted(headerName, `, ${needs}`),
    default: 'X-Signature',
    meaning: 'header of the signature',
  }),
  hash: variable(section, `${prefix}_HASH`, {
    ...noted(oneOf(['sha256', 'sha512']), `, ${needs}`),
    default: 'sha256',
    meaning: 'hash of the HMAC',
  }),
  encoding: variable(section, `${prefix}_ENCODING`, {
    ...noted(oneOf(['hex', 'base64']), `, ${needs}`),
    default: 'hex',
    meaning: 'how the signature is written',
  }),
  prefix: variable(section, `${prefix}_PREFIX`, {
    parse: prefixText,
    allowed: `printable ASCII text of at most ${PREFIX_MAX_LENGTH} characters, ${needs}`,
    meaning: 'text before the signature in its header',
  }),
  content: variable(section, `${prefix}_CONTENT`, {
    parse: content,
    default: CONTENT,
    allowed: `${texts.allowed}, ${needs}`,
    meaning: texts.meaning,
  }),
  timestampHeader: variable(section, `${prefix}_TIMESTAMP_HEADER`, {
    ...noted(headerName, `, ${needs}`),
    default: 'X-Timestamp',
    meaning: 'header of the time in Unix seconds, if the content uses {timestamp}',
  }),
  nonceHeader: variable(section, `${prefix}_NONCE_HEADER`, {
    ...noted(headerName, `, ${needs}`),
    default: 'X-Nonce',
    meaning: 'header of the nonce, if the content uses {nonce}',
  }),
});

export type HmacVariables = ReturnType<typeof hmacVariables>;

export function readHmacScheme(reader: SettingsReader, variables: HmacVariables): HmacScheme {
  const scheme: HmacScheme = {
    header: reader.read(variables.header),
    hash: reader.read(variables.hash),
    encoding: reader.read(variables.encoding),
    prefix: reader.read(variables.prefix) ?? '',
    content: reader.read(variables.content),
    timestampHeader: reader.read(variables.timestampHeader),
    nonceHeader: reader.read(variables.nonceHeader),
  };
  const taken = new Set([scheme.header.toLowerCase()]);
  for (const [variable, header, used] of [
    [variables.timestampHeader, scheme.timestampHeader, uses(scheme.content, 'timestamp')],
    [variables.nonceHeader, scheme.nonceHeader, uses(scheme.content, 'nonce')],
  ] as const) {
    if (used && taken.has(header.toLowerCase())) reader.problem(variable, 'is a header that is used already');
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
