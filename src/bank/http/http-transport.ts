import axios from 'axios';
import { X509Certificate } from 'node:crypto';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';
import { Agents } from './agents';
import type { BaseUrl } from './base-url';
import { followConnection, maybeWritten, nameFailure } from './transport-failure';
import type { ConnectionStage } from './transport-failure';
import { ANSWER_BYTES_MAX } from './http-outcome';
import type { HttpOutcome, HttpRequest, HttpTransport, ResponseHead } from './http-outcome';
import { tlsOptions } from '../credentials/tls-material';
import type { TlsSource } from '../credentials/tls-material';

export interface HttpTransportOptions {
  readonly baseUrl: BaseUrl;
  readonly tls: TlsSource;
  /** Calls beyond this wait for a socket, within their deadline. Default 128. */
  readonly maxSockets?: number;
}

const SOCKETS_DEFAULT = 128;

/** The only user of axios. Answers are raw bytes, a redirect is an answer, and every failure is a plain value. */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { tls, origin, prefix } = options.baseUrl;
  // Throws on an invalid PEM now, not at the first payment.
  if (tls) {
    const material = options.tls();
    createSecureContext(tlsOptions(material));
    // `createSecureContext` ignores an invalid CA.
    if (material.caPem !== null) new X509Certificate(material.caPem);
  }
  const agents = new Agents({
    tls: tls ? options.tls : null,
    maxSockets: options.maxSockets ?? SOCKETS_DEFAULT,
  });
  const inFlight = new Set<Promise<HttpOutcome>>();
  let closed = false;

  async function exchange(request: HttpRequest): Promise<HttpOutcome> {
    const watch = new ExchangeWatch(tls, request.onWritten);
    const lease = agents.lease();
    const deadline = new AbortController();
    // One deadline for everything: a body that arrives very slowly would never cause an inactivity time-out of the
    // socket.
    const timer = setTimeout(() => deadline.abort(), request.timeoutMs);
    let thrown: unknown = null;
    try {
      const { data } = await axios.request<Buffer>({
        url: `${origin}${prefix}${request.path}`,
        method: request.method,
        headers: { ...request.headers, 'Accept-Encoding': 'identity' },
        ...(request.body === null ? {} : { data: request.body }),
        transformRequest: [],
        transformResponse: [],
        responseType: 'arraybuffer',
        decompress: false,
        maxContentLength: ANSWER_BYTES_MAX,
        maxRedirects: 0,
        validateStatus: null,
        proxy: false,
        signal: deadline.signal,
        httpAgent: lease.agent,
        httpsAgent: lease.agent,
        transport: watch.transport,
      });
      if (watch.head !== null) return { kind: 'response', head: watch.head, body: data };
    } catch (error) {
      thrown = error;
    } finally {
      clearTimeout(timer);
      lease.release();
    }
    return watch.failed(thrown, deadline.signal.aborted);
  }

  return {
    async send(request) {
      if (closed) throw new Error('the transport is closed');
      const running = exchange(request);
      inFlight.add(running);
      try {
        return await running;
      } finally {
        inFlight.delete(running);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(inFlight);
      agents.destroy();
    },
  };
}

/** Stands between axios and Node.js, to observe the request's sockets and the answer's head. */
class ExchangeWatch {
  head: ResponseHead | null = null;
  private stage: () => ConnectionStage = () => 'waiting';

  constructor(
    private readonly tls: boolean,
    private readonly onWritten?: () => void,
  ) {}

  readonly transport = {
    request: (options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest => {
      const request = (this.tls ? https : http).request(options, (response) => {
        this.head = headOf(response);
        onResponse(response);
      });
      this.stage = followConnection(request, { tls: this.tls });
      if (this.onWritten !== undefined) request.once('finish', this.onWritten);
      return request;
    },
  };

  failed(error: unknown, timedOut: boolean): HttpOutcome {
    const stage = this.stage();
    const code = codeOf(error);
    if (stage === 'waiting' && !timedOut && (code === null || code.startsWith('ERR_'))) {
      // No socket and no system error: the request could not even be built. This is a bug, not a fault of the network.
      throw new Error(`the request could not be made (${code ?? 'no code'})`);
    }
    const failure = nameFailure({ stage, timedOut, tooLarge: isTooLarge(error), code });
    return { kind: 'failed', failure, maybeWritten: maybeWritten(stage), head: this.head };
  }
}

const headOf = ({ statusCode, headers }: IncomingMessage): ResponseHead => ({
  status: statusCode ?? 0,
  contentType: headers['content-type'] ?? null,
  contentEncoding: headers['content-encoding'] ?? null,
  retryAfter: headers['retry-after'] ?? null,
  date: headers.date ?? null,
});

const codeOf = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;

/** axios has no error code for this case, so the text is compared; a test checks it. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('maxContentLength size of');
