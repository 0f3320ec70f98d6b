import { readClosedFile } from './files';
import { accept, refuse } from './formats';
import type { Format, Parser } from './formats';
import { variables } from './variable';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Set by the HTTP client or the protocol: a second value would break the request or change its meaning. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-giro-time',
]);

const isHeaderName = (text: string): boolean => HEADER_NAME.test(text);
const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase());

/** The name of a header that a setting may choose. */
export const headerName: Format<string> = {
  parse: (text) => {
    if (!isHeaderName(text)) return refuse('is not a header name');
    return isReserved(text) ? refuse('is a header that is not free to set') : accept(text);
  },
  allowed: 'a header name',
};

const HEADERS_MAX = 50;
const HEADER_VALUE_MAX_LENGTH = 8_192;

/** A JSON object of text values. Values may be secrets and are never repeated. */
const headersFile: Parser<Readonly<Record<string, string>>> = (path) => {
  const file = readClosedFile(path);
  if (!file.ok) return file;
  const wrong = (what: string) => refuse(`the file ${path} ${what}`);
  let content: unknown;
  try {
    content = JSON.parse(file.value);
  } catch {
    // The parser's own message would repeat a piece of the file.
    return wrong('is not JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return wrong('is not a JSON object');
  const entries = Object.entries(content as Record<string, unknown>);
  if (entries.length > HEADERS_MAX) return wrong(`has more than ${HEADERS_MAX} headers`);
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    if (!isHeaderName(name)) return wrong('has a name that is not a header name');
    const lower = name.toLowerCase();
    if (isReserved(name)) return wrong(`has the header ${name}, which is not free to set`);
    if (seen.has(lower)) return wrong(`has the header ${name} twice`);
    seen.add(lower);
    if (
      typeof value !== 'string' ||
      value.length > HEADER_VALUE_MAX_LENGTH ||
      !/^[\x20-\x7e]*$/.test(value)
    ) {
      return wrong(`has a value of ${name} that is not one line of printable ASCII text`);
    }
  }
  return accept(content as Record<string, string>);
};

export const FURTHER_HEADERS = variables('Bank', {
  BANK_HEADERS_FILE: {
    parse: headersFile,
    allowed: `the path of a file with a JSON object of at most ${HEADERS_MAX} header names and text values`,
    meaning: 'further headers of every request (client ids and the like)',
  },
});
