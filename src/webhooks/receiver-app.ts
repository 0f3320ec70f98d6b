import { createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server as TlsServer } from 'node:https';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { splitTarget } from '../signing/signable-request';
import type { AcceptDelivery } from './accept-delivery';
import { boundConnections } from './bound-connections';
import type { DeliveryOutcome } from './observer';
import { isPathSecret } from './secrets';

/** Contract 7: a notification is far smaller. */
const BODY_MAX_BYTES = 256 * 1024;

/** From the first byte of a request to the last: slow senders are cut off (408). */
const REQUEST_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 5_000;
/** Limit for a TLS handshake. With Node's default of two minutes, silent connections could fill `CONNECTIONS_MAX`. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Idle time after which a connection is closed. */
const KEEP_ALIVE_MS = 5_000;
/** Longer than proxies keep idle connections (often 60 s), so that no connection is closed during a request. */
const PROXY_KEEP_ALIVE_MS = 75_000;
/**
 * A shutdown closes all connections after this time. A request may take 10 s to arrive, and then waits for the journal.
 * During a shutdown Node no longer applies its own time-outs, so a silent connection would stay open for ever.
 */
const DRAIN_MAX_MS = 20_000;
/** Limits the memory of bodies in flight: 256 MiB at worst. */
const CONNECTIONS_MAX = 1_024;
/** Far more than a bank uses. */
const CONNECTIONS_PER_SOURCE_MAX = 128;
/** Sources whose rate is remembered. */
const SOURCES_MAX = 10_000;

export interface ReceiverTls {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ReceiverAppOptions {
  /** The valid secrets of the path; read at each request. */
  readonly pathSecrets: () => readonly string[];
  readonly accept: AcceptDelivery;
  /** Maximum number of requests from one source in one second; null: no limit. */
  readonly maxRps: number | null;
  /** Number of proxies in front whose `X-Forwarded-For` is trusted; 0: none, the source is the peer. */
  readonly trustedHops: number;
  /** PEM; null: plain HTTP, for a proxy on the same machine or network. */
  readonly tls: ReceiverTls | null;
  readonly onAnswered: (outcome: DeliveryOutcome, durationMs: number) => void;
  /** A bug, for the log. */
  readonly onError: (error: Error) => void;
  /** Default: 20 s. */
  readonly drainMaxMs?: number;
}

/** The receiver's HTTP server, not yet listening. Requests are not logged: the path is a secret. */
export async function createReceiverApp(options: ReceiverAppOptions): Promise<FastifyInstance> {
  const { trustedHops, maxRps, onAnswered, drainMaxMs = DRAIN_MAX_MS } = options;
  const server = createServer(options);
  const answer = (reply: FastifyReply, outcome: DeliveryOutcome): FastifyReply => {
    onAnswered(outcome, reply.elapsedTime);
    const [status, text] = ANSWERS[outcome];
    if (outcome === 'store-down' || outcome === 'too-many') void reply.header('retry-after', '1');
    if (outcome === 'inbox-full') void reply.header('retry-after', '60');
    // A refused request may have a body that nobody will read.
    if (status !== 200) void reply.header('connection', 'close');
    return reply.code(status).type('text/plain; charset=utf-8').send(text);
  };
  const app: FastifyInstance = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    // The peer is hop 0.
    trustProxy: (_address, hop) => hop < trustedHops,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_000 },
    serverFactory: (handler) => server.on('request', handler),
    // A path that cannot be parsed.
    frameworkErrors: (_error, _request, reply) => {
      void answer(reply, 'unknown-path');
    },
  });
  // A kept-alive connection would delay the shutdown for as long as it stays open.
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    setTimeout(() => server.closeAllConnections(), drainMaxMs).unref();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) void reply.header('connection', 'close');
    done(null, payload);
  });
  // Bodies of every type stay bytes: the signature covers bytes.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  await app.register(rateLimit, {
    global: false,
    timeWindow: 1_000,
    cache: SOURCES_MAX,
    addHeaders: NO_HEADERS,
  });
  const limit = maxRps === null ? null : app.createRateLimit({ max: maxRps });
  // Runs before the body is read. A wrong secret gets the same answer as a path that does not exist.
  app.addHook('onRequest', async (request, reply) => {
    const rate = await limit?.(request);
    if (rate?.isAllowed === false && rate.isExceeded) return answer(reply, 'too-many');
    const { secret } = request.params as { readonly secret?: string };
    if (request.is404 || secret === undefined || !isPathSecret(secret, options.pathSecrets()))
      return answer(reply, 'unknown-path');
    // The body is taken as bytes, whatever its content type: an unreadable type must not lose a delivery.
    request.headers['content-type'] = 'application/octet-stream';
    return;
  });
  app.setNotFoundHandler((_request, reply) => answer(reply, 'unknown-path'));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    // The connection ended before the body was complete: nobody reads an answer.
    if (error.code === 'ECONNRESET') return reply.hijack();
    if ((error.statusCode ?? 500) >= 500) options.onError(error);
    return answer(reply, outcomeOf(error));
  });

  app.post('/webhooks/:secret', async (request, reply) => {
    if (!Buffer.isBuffer(request.body) || request.body.length === 0 || isEncoded(request))
      return answer(reply, 'unreadable-request');
    const target = request.raw.url ?? '';
    return answer(
      reply,
      await options.accept({
        method: request.method,
        url: `${request.protocol}://${request.host}${target}`,
        ...splitTarget(target),
        body: request.body,
        header: (name) => headerOf(request, name),
      }),
    );
  });
  return app;
}

function createServer({ tls, trustedHops }: Pick<ReceiverAppOptions, 'tls' | 'trustedHops'>): Server {
  const isBehindProxy = trustedHops > 0;
  const options = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: isBehindProxy ? PROXY_KEEP_ALIVE_MS : KEEP_ALIVE_MS,
    // Check interval: a time-out is at most this late.
    connectionsCheckingInterval: 1_000,
  };
  const server: Server =
    tls === null
      ? createHttpServer(options)
      : createHttpsServer({
          ...options,
          handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
          ...{ cert: tls.certPem, key: tls.keyPem, minVersion: 'TLSv1.2' },
        });
  boundConnections(server, {
    max: CONNECTIONS_MAX,
    perSourceMax: isBehindProxy ? null : CONNECTIONS_PER_SOURCE_MAX,
  });
  return server;
}

const NO_HEADERS = {
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
  'retry-after': false,
} as const;

/** Contract 7. The texts are for people who try the address; senders read the status. */
const ANSWERS: Readonly<Record<DeliveryOutcome, readonly [status: number, text: string]>> = {
  stored: [200, 'ok\n'],
  duplicate: [200, 'ok\n'],
  'unknown-path': [404, 'not found\n'],
  'bad-signature': [401, 'bad signature\n'],
  'too-large': [413, 'too large\n'],
  'too-many': [429, 'too many requests\n'],
  'unreadable-request': [400, 'bad request\n'],
  'store-down': [503, 'not stored, repeat\n'],
  'inbox-full': [503, 'not stored, repeat\n'],
};

function outcomeOf({ code, statusCode = 500 }: FastifyError): DeliveryOutcome {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'too-large';
  // A bug of ours must not lose a delivery: the sender repeats after this answer.
  return statusCode >= 500 ? 'store-down' : 'unreadable-request';
}

/** A repeated header counts as none, because it is unclear which of the values was signed. */
function headerOf({ raw }: FastifyRequest, name: string): string | null {
  const values = raw.headersDistinct[name.toLowerCase()];
  return values?.length === 1 ? (values[0] ?? null) : null;
}

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding.toLowerCase() !== 'identity';
}

/** Replaces the certificate for new connections. */
export function renewTls(app: FastifyInstance, { certPem, keyPem }: ReceiverTls): void {
  (app.server as unknown as TlsServer).setSecureContext({
    cert: certPem,
    key: keyPem,
    minVersion: 'TLSv1.2',
  });
}
