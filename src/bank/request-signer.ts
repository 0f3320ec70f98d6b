/** What a signature may cover: exactly what is about to be sent. */
export interface SignableRequest {
  readonly method: 'GET' | 'POST';
  /** `https://host[:port]/path[?query]`. */
  readonly url: string;
  /** With the base URL's own path; no query. */
  readonly path: string;
  /** Without `?`; empty when there is none. */
  readonly query: string;
  /** The very bytes of the body; empty when there is none. */
  readonly body: Buffer;
}

/** Returns the headers that carry the signature. Asked again for each repetition: a nonce counts once. */
export type RequestSigner = (request: SignableRequest) => Readonly<Record<string, string>>;
