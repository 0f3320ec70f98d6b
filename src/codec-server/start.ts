import type { AddressInfo } from 'node:net';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PayloadCodec } from '@temporalio/common';
import type { KeyRing } from '../codec/key-ring';
import { createPayloadCodec } from '../codec/payload-codec';
import { SealError } from '../codec/seal';
import type { Logger } from '../telemetry/logger';
import { bearerCheck } from './bearer';
import { fromWire, payloadsBody, toWire } from './wire';

export interface CodecServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly keyRing: KeyRing;
  readonly token: string;
  /** Origins of browsers that may ask, e.g. `http://localhost:8233`; empty: none. */
  readonly origins: readonly string[];
  /** Of requests that name none. */
  readonly namespace: string;
  readonly logger: Logger;
  /** Requests a minute from one address; default 600. */
  readonly requestsPerMinute?: number;
}

export interface CodecServer {
  /** `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/** The engine refuses payloads over 2 MB; base64 adds a third. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;
const REQUESTS_PER_MINUTE = 600;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Shows payloads to people who may see them: `POST /decode` and `/encode` (also under `/NAMESPACE/`) for the Temporal
 * UI and CLI, behind a bearer token, each request with an audit line in the log. `GET /healthz` needs no token.
 */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, origins, logger } = options;
  const app = fastify({ bodyLimit: BODY_MAX_BYTES, requestTimeout: REQUEST_TIMEOUT_MS, logger: false });
  await app.register(cors, {
    origin: [...origins],
    methods: ['POST'],
    allowedHeaders: ['authorization', 'content-type', 'x-namespace'],
    maxAge: 3_600,
  });
  await app.register(rateLimit, {
    max: options.requestsPerMinute ?? REQUESTS_PER_MINUTE,
    timeWindow: '1 minute',
    allowList: (request) => request.url === '/healthz',
  });
  app.setErrorHandler((error, _request, reply) => answerError(reply, error, logger));
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'));
  addCodecRoutes(app, options);
  await app.listen({ host, port });
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return {
    address: `${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () => app.close(),
  };
}

const TURNS = ['decode', 'encode'] as const;
type Turn = (typeof TURNS)[number];

function addCodecRoutes(app: FastifyInstance, options: CodecServerOptions): void {
  const isAllowed = bearerCheck(options.token);
  const turned = (turn: Turn) => async (request: FastifyRequest, reply: FastifyReply) => {
    const about = { turn, origin: request.headers.origin ?? null, remote: request.ip };
    if (!isAllowed(request.headers.authorization)) {
      options.logger.warn(about, 'payloads refused: no or a wrong token');
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .send({ message: 'a bearer token is needed' });
    }
    const body = payloadsBody.safeParse(request.body);
    if (!body.success) {
      return reply
        .code(400)
        .send({ message: 'the body is not {"payloads":[{"metadata","data"}]} in base64' });
    }
    const namespace = namespaceOf(request) ?? options.namespace;
    const codec: PayloadCodec = createPayloadCodec(options.keyRing, namespace);
    const payloads = await codec[turn](body.data.payloads.map(fromWire));
    options.logger.info({ ...about, namespace, payloads: payloads.length }, `payloads ${turn}d`);
    return reply.send({ payloads: payloads.map(toWire) });
  };
  for (const turn of TURNS) {
    app.post(`/${turn}`, turned(turn));
    app.post(`/:namespace/${turn}`, turned(turn));
  }
}

/** The UI sends a header; the CLI's `--codec-endpoint 'http://…/{namespace}'` puts it into the path. */
function namespaceOf({ params, headers }: FastifyRequest): string | null {
  const inPath = (params as { readonly namespace?: string }).namespace;
  const inHeader = headers['x-namespace'];
  return inPath ?? (typeof inHeader === 'string' && inHeader !== '' ? inHeader : null);
}

function answerError(reply: FastifyReply, error: unknown, logger: Logger): FastifyReply {
  if (error instanceof SealError) {
    logger.warn({ why: error.why }, `a payload ${error.message}`);
    return reply.code(422).send({ message: `a payload ${error.message}` });
  }
  const status = (error as { readonly statusCode?: number }).statusCode ?? 500;
  if (status >= 500) logger.error({ err: error }, 'a request failed');
  return reply.code(status).send({ message: SENTENCES[status] ?? 'the request failed' });
}

/** Fastify's own messages repeat pieces of the body. */
const SENTENCES: Readonly<Record<number, string>> = {
  400: 'the body is not JSON',
  413: `the body is larger than ${BODY_MAX_BYTES} bytes`,
  415: 'the body must be application/json',
  429: 'too many requests: try again in a minute',
};
