/** `BANK_BASE_URL` in parts. The configuration decides whether plain `http:` is allowed. */
export interface BaseUrl {
  readonly tls: boolean;
  /** `https://host[:port]` */
  readonly origin: string;
  /** Path in front of the services' paths, without a trailing slash; empty: none. */
  readonly prefix: string;
}

export function parseBaseUrl(text: string): BaseUrl {
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error('the base URL must be https: or http:');
  // User and password in the URL would replace the Authorization header.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('the base URL may hold scheme, host, port and path only');
  }
  return { tls: url.protocol === 'https:', origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}
