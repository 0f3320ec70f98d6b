import { isIPv4 } from 'node:net';
import { accept, refuse } from './formats';
import type { Parsed, Parser } from './formats';

/** Addresses that a secret may travel to: https, or http to this machine itself. */

export interface BaseAddress {
  /** Origin and path prefix, without a trailing slash: the paths of the services are appended. */
  readonly baseUrl: string;
  readonly onLoopback: boolean;
}

/** An address that paths are appended to. */
export const baseUrl: Parser<BaseAddress> = (text) => {
  const parsed = safeUrl(text);
  if (!parsed.ok) return parsed;
  if (text.includes('?')) return refuse('contains a query');
  const { origin, pathname, hostname } = parsed.value;
  return accept({ baseUrl: origin + pathname.replace(/\/+$/, ''), onLoopback: isLoopbackHost(hostname) });
};

/** The complete address of one service, path and query as given. */
export const serviceUrl: Parser<string> = (text) => {
  const parsed = safeUrl(text);
  return parsed.ok ? accept(parsed.value.href) : parsed;
};

function safeUrl(text: string): Parsed<URL> {
  // The URL parser would silently drop or correct these characters.
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse('contains a space, a backslash or a control character');
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) return refuse('is not an https:// address');
  const url = new URL(text);
  if (/^https?:\/\/[^/?#]*@/.test(text)) return refuse('contains credentials');
  if (text.includes('#')) return refuse('contains a fragment');
  return url.protocol === 'http:' && !isLoopbackHost(url.hostname)
    ? refuse('is http:// and not on loopback')
    : accept(url);
}

/**
 * Whether a host name, as `URL.hostname` gives it, can only be this machine. The names that a resolver could send
 * elsewhere (`foo.localhost`, `localhost.`) and the wildcard `0.0.0.0` are not.
 */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname === '::1' ||
    // `127.0.0.256` is a name that a resolver could send elsewhere.
    (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
