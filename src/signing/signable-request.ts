/** What a signature may cover: exactly what will be sent, or exactly what was received. */
export interface SignableRequest {
  readonly method: string;
  /** `https://host[:port]/path[?query]`. */
  readonly url: string;
  /** Including the base URL's path; no query. */
  readonly path: string;
  /** Without `?`; empty: no query. */
  readonly query: string;
  /** The exact bytes of the body; empty: no body. */
  readonly body: Buffer;
}

/** Splits a URL's text, or a request line's target, at the query; nothing is decoded or corrected. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}
