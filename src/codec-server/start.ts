import type { AddressInfo } from 'node:net';
import { createHash, timingSafeEqual } from 'node:crypto';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PayloadCodec } from '@temporalio/common';
import type { KeyRing } from '../codec/key-ring';
import { createPayloadCodec } from '../codec/payload-codec';
import type { Logger } from '../telemetry/logger';
import { newNotes, wordOf, writeAuditLine, oncePerMinute } from './audit';
import type { AuditNotes } from './audit';
import {
  BODY_MAX_BYTES,
  FOREIGN_NAMESPACE,
  FOREIGN_ORIGIN,
  NOT_FOUND,
  NOT_PAYLOADS,
  NO_TOKEN,
  UNREADABLE_PATH,
  refusalOf,
} from './refusals';
import type { Refusal } from './refusals';
import { fromWire, payloadsBody, toWire } from './wire';

export interface CodecServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly keyRing: KeyRing;
  /** For `/decode`. */
  readonly token: string;
  /**
   * For `/encode`, which does not exist without it: whoever may encrypt payloads can write what our processes accept.
   */
  readonly encodeToken: string | null;
  /** Origins of browsers that may call, e.g. `http://localhost:8233`; empty: none. */
  readonly origins: readonly string[];
  /** The namespaces whose payloads are served. */
  readonly namespaces: readonly string[];
  /** The namespace of requests that name none. */
  readonly namespace: string;
  readonly logger: Logger;
  /** Maximum number of requests per minute from one address, served or refused. */
  readonly requestsPerMinute: number;
  /** Number of proxies in front whose `X-Forwarded-For` is trusted; 0: none, the address is the peer's. */
  readonly trustedHops: number;
  /** The header in which a gateway names the person, for the log; null: none. */
  readonly operatorHeader: string | null;
}

export interface CodecServer {
  /** `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Decrypts payloads for authorised people: `POST /decode` and `/encode` (also under `/NAMESPACE/`) for the Temporal
 * UI and CLI, each behind a separate bearer token, for the listed namespaces. Logs each request, refused ones too
 * (too many requests: one line a minute for each address). `GET /healthz` needs no token.
 */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, origins, trustedHops, logger } = options;
  const notes = new WeakMap<object, AuditNotes>();
  const notesOf = ({ raw }: FastifyRequest): AuditNotes => {
    const found = notes.get(raw) ?? newNotes();
    notes.set(raw, found);
    return found;
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
    const { statusCode, why, message } = refusalOf(error);
    notesOf(request).why = why;
    if (statusCode >= 500) logger.error({ err: error }, 'a request failed');
    if (statusCode === 401) void reply.header('www-authenticate', 'Bearer');
    return reply.code(statusCode).send({ message });
  };
  const app = fastify({
    ...{ bodyLimit: BODY_MAX_BYTES, requestTimeout: REQUEST_TIMEOUT_MS, logger: false },
    // Otherwise a silent connection, as browsers open in advance, would keep the process from ending.
    forceCloseConnections: true,
    // The peer is hop 0.
    trustProxy: (_address, hop) => hop < trustedHops,
    // A path that cannot be parsed; no hook runs for it.
    frameworkErrors: (_error, request, reply) => {
      refuse(request, reply, UNREADABLE_PATH);
      writeAuditLine(logger, notesOf(request), request, reply);
    },
  });
  const isFirstOfMinute = oncePerMinute();
  app.addHook('onResponse', (request, reply, done) => {
    const isOfNobody = request.url === '/healthz' || (request.method === 'OPTIONS' && reply.statusCode < 400);
    // One line reports that an address sends too much; more lines in the same minute would only fill the log.
    const isRepetition = reply.statusCode === 429 && !isFirstOfMinute(request.ip);
    if (!isOfNobody && !isRepetition) writeAuditLine(logger, notesOf(request), request, reply);
    done();
  });
  await app.register(cors, {
    origin: [...origins],
    // A gateway may recognise its operators by a cookie, so only pages of the listed origins may call.
    credentials: true,
    methods: ['POST'],
    allowedHeaders: ['authorization', 'content-type', 'x-namespace'],
    maxAge: 3_600,
  });
  await app.register(rateLimit, {
    max: options.requestsPerMinute,
    timeWindow: '1 minute',
    allowList: (request) => request.url === '/healthz',
  });
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  // The plugin limits only routes; guesses at paths must count too.
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request, reply) =>
    refuse(request, reply, NOT_FOUND),
  );
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'));
  addCodecRoutes(app, options, notesOf);
  await app.listen({ host, port });
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return {
    address: `${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () => app.close(),
  };
}

type Turn = 'decode' | 'encode';

function addCodecRoutes(
  app: FastifyInstance,
  options: CodecServerOptions,
  notesOf: (request: FastifyRequest) => AuditNotes,
): void {
  const { origins, operatorHeader } = options;
  const placeOf = (request: FastifyRequest): string => namespaceOf(request) ?? options.namespace;
  /** After the rate limit, which counts guesses, and before the body is read. */
  const admit =
    (turn: Turn, isAllowed: (header: string | undefined) => boolean) =>
    (request: FastifyRequest): Refusal | null => {
      const notes = notesOf(request);
      notes.turn = turn;
      notes.namespace = wordOf(placeOf(request));
      if (!isAllowed(request.headers.authorization)) return NO_TOKEN;
      // Without the right token the given name counts for nothing.
      notes.operator = operatorHeader === null ? null : wordOf(request.headers[operatorHeader.toLowerCase()]);
      const { origin } = request.headers;
      // A gateway adds the token for everyone who reaches it, so a page of another origin must be refused here.
      if (origin !== undefined && !origins.includes(origin)) return FOREIGN_ORIGIN;
      return options.namespaces.includes(placeOf(request)) ? null : FOREIGN_NAMESPACE;
    };
  const turned = (turn: Turn) => async (request: FastifyRequest, reply: FastifyReply) => {
    const body = payloadsBody.safeParse(request.body);
    if (!body.success) throw NOT_PAYLOADS;
    notesOf(request).payloads = body.data.payloads.length;
    const codec: PayloadCodec = createPayloadCodec(options.keyRing, placeOf(request));
    const payloads = await codec[turn](body.data.payloads.map(fromWire));
    return reply.send({ payloads: payloads.map(toWire) });
  };
  for (const [turn, token] of [
    ['decode', options.token],
    ['encode', options.encodeToken],
  ] as const) {
    if (token === null) continue;
    const admitted = admit(turn, bearerCheck(token));
    for (const path of [`/${turn}`, `/:namespace/${turn}`]) {
      app.post(
        path,
        {
          preParsing: (request, _reply, _payload, done) => {
            done(admitted(request));
          },
        },
        turned(turn),
      );
    }
  }
}

/** The UI sends a header; the CLI's `--codec-endpoint 'http://…/{namespace}'` puts it into the path. */
function namespaceOf({ params, headers }: FastifyRequest): string | null {
  const inPath = (params as { readonly namespace?: string }).namespace;
  const inHeader = headers['x-namespace'];
  return inPath ?? (typeof inHeader === 'string' && inHeader !== '' ? inHeader : null);
}

/**
 * Whether a header is `Bearer <token>`, the scheme in any case. Compares digests, which have equal length, in constant
 * time.
 */
function bearerCheck(token: string): (header: string | undefined) => boolean {
  const wanted = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest((header ?? '').replace(/^bearer /i, 'Bearer ')), wanted);
}

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
