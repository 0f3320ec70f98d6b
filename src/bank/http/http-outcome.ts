/**
 * What came of one HTTP exchange, as plain values: no error object of a library passes this border, because such
 * errors carry the request's headers and body.
 */

/** Most bytes of an answer that are read, on the wire and decoded: a movement needs about one thousand. */
export const ANSWER_BYTES_MAX = 256 * 1024;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL with a leading slash, and a query if there is one. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent byte for byte; null: no body. */
  readonly body: Buffer | null;
  /** For the whole exchange: waiting for a socket, connecting, writing, and the last byte of the answer. */
  readonly timeoutMs: number;
  /** Called when the last byte was written; never, when the request failed before. */
  readonly onWritten?: () => void;
}

/** The parts of an answer's head that decide something. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly retryAfter: string | null;
  /** The bank's clock, for `doctor` alone. */
  readonly date?: string | null;
}

/** Why no whole answer came; a subset of `REQUEST_ERROR_CODES`. */
export type TransportFailure =
  | 'TIMEOUT'
  | 'CONNECTION_REFUSED'
  | 'CONNECTION_LOST'
  | 'NAME_LOOKUP'
  | 'TLS'
  | 'UNREACHABLE'
  | 'UNREADABLE'
  | 'TOO_LARGE';

export type HttpOutcome =
  /** The whole answer, its body as it stood on the wire (still encoded if `contentEncoding` says so). */
  | { readonly kind: 'response'; readonly head: ResponseHead; readonly body: Uint8Array }
  | {
      readonly kind: 'failed';
      readonly failure: TransportFailure;
      /** False only when surely no byte of the request left this machine. */
      readonly maybeWritten: boolean;
      /** The answer's head, when it came before the failure. */
      readonly head: ResponseHead | null;
    };

export interface HttpTransport {
  /** Never rejects for what the network or the peer does. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Lets the calls in flight end (each has its deadline), then closes the idle sockets. */
  close(): Promise<void>;
}
