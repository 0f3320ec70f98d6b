import { readSettingsFile } from './files';
import { isHeaderName, isReservedHeader } from './header-name';
import { accept, refuse } from './parsers';
import type { Parser } from './parsers';

const HEADERS_MAX = 50;
const HEADER_VALUE_MAX_LENGTH = 8_192;

/** The file of further headers: a JSON object of text values. Values may be secrets and are never repeated. */
export const headersFile: Parser<Readonly<Record<string, string>>> = (path) => {
  const file = readSettingsFile(path);
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
    if (isReservedHeader(name)) return wrong(`has the header ${name}, which is not free to set`);
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
