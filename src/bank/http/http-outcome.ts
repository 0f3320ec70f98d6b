/**
 * The outcome of one HTTP exchange, as plain values. No error object of a library gets out of this interface, because
 * such errors contain the request's headers and body.
 */

/** Maximum size of an answer, both on the wire and decoded: a movement needs about one thousand bytes. */
export const ANSWER_BYTES_MAX = 256 * 1024;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL with a leading slash, and the query, if any. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent byte for byte; null: no body. */
  readonly body: Buffer | null;
  /** For the complete exchange: waiting for a socket, connecting, writing, and the last byte of the answer. */
  readonly timeoutMs: number;
  /** Called when the last byte was written; not called if the request failed before. */
  readonly onWritten?: () => void;
}

/** The relevant parts of an answer's head. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly retryAfter: string | null;
  /** The bank's clock, for `doctor` alone. */
  readonly date?: string | null;
}

/** Why no complete answer arrived; a subset of `REQUEST_ERROR_CODES`. */
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
  /** The complete answer, with its body as received (still encoded if `contentEncoding` says so). */
  | { readonly kind: 'response'; readonly head: ResponseHead; readonly body: Uint8Array }
  | {
      readonly kind: 'failed';
      readonly failure: TransportFailure;
      /** False only when surely no byte of the request left this machine. */
      readonly maybeWritten: boolean;
      /** The answer's head, if it arrived before the failure. */
      readonly head: ResponseHead | null;
    };

export interface HttpTransport {
  /** Never rejects because of the network or the peer. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Waits for the calls in flight (each has a deadline), then closes the idle sockets. */
  close(): Promise<void>;
}
