import { isLoopbackHost } from './loopback';
import { accept, refuse } from './parsers';
import type { Parser } from './parsers';

export interface BankAddress {
  /** Origin and path prefix, without a trailing slash: the paths of the services are appended. */
  readonly baseUrl: string;
  readonly onLoopback: boolean;
}

/** The bank's base address. The token travels to it, hence the care. */
export const baseUrl: Parser<BankAddress> = (text) => {
  // The URL parser would quietly drop or mend these.
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse('contains a space, a backslash or a control character');
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) return refuse('is not an https:// address');
  const url = new URL(text);
  if (/^https?:\/\/[^/?#]*@/.test(text)) return refuse('contains credentials');
  if (text.includes('?')) return refuse('contains a query');
  if (text.includes('#')) return refuse('contains a fragment');
  const onLoopback = isLoopbackHost(url.hostname);
  if (url.protocol === 'http:' && !onLoopback) return refuse('is http:// and not on loopback');
  return accept({ baseUrl: url.origin + url.pathname.replace(/\/+$/, ''), onLoopback });
};
