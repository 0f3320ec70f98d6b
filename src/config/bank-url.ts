import { isLoopbackHost } from './loopback';
import { accept, refuse } from './parsers';
import type { Parsed, Parser } from './parsers';

export interface BankAddress {
  /** Origin and path prefix, without a trailing slash: the paths of the services are appended. */
  readonly baseUrl: string;
  readonly onLoopback: boolean;
}

/** The bank's base address. The token travels to it, hence the care. */
export const baseUrl: Parser<BankAddress> = (text) => {
  const parsed = safeUrl(text);
  if (!parsed.ok) return parsed;
  if (text.includes('?')) return refuse('contains a query');
  const { origin, pathname, hostname } = parsed.value;
  return accept({ baseUrl: origin + pathname.replace(/\/+$/, ''), onLoopback: isLoopbackHost(hostname) });
};

/** The whole address of one service, path and query as given. */
export const tokenUrl: Parser<string> = (text) => {
  const parsed = safeUrl(text);
  return parsed.ok ? accept(parsed.value.href) : parsed;
};

function safeUrl(text: string): Parsed<URL> {
  // The URL parser would quietly drop or mend these.
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse('contains a space, a backslash or a control character');
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) return refuse('is not an https:// address');
  const url = new URL(text);
  if (/^https?:\/\/[^/?#]*@/.test(text)) return refuse('contains credentials');
  if (text.includes('#')) return refuse('contains a fragment');
  return url.protocol === 'http:' && !isLoopbackHost(url.hostname)
    ? refuse('is http:// and not on loopback')
    : accept(url);
}
