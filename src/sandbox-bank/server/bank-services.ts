import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { outcome, respondError } from '../answers/answer';
import type { Outcome } from '../answers/answer';
import type { RequestRecord } from '../book/request-log';
import { readJson } from '../json';
import type { SignatureVerifier } from '../options';
import { getMovementService } from '../services/get-movement';
import { getVerificationServices } from '../services/get-verification';
import { invalidBody } from '../services/service';
import type { BankService, Query } from '../services/service';
import { transferRequestService } from '../services/transfer-request';
import { webhookServices } from '../services/webhook-services';
import { outageOutcome } from './bank-state';
import type { BankState } from './bank-state';
import { deliver } from './deliver';
import type { DeliveryContext } from './deliver';

export interface BankServicesContext extends DeliveryContext {
  readonly state: BankState;
  /** Null: any token is valid. */
  readonly acceptsToken: ((token: string) => boolean) | null;
  readonly verifySignature: SignatureVerifier | null;
  readonly logger: Logger | null;
  readonly verificationMethod: 'GET' | 'POST';
}

const bankServices = ({ state, verificationMethod }: BankServicesContext): readonly BankService[] => [
  transferRequestService(state.book, (order) => state.rules.behaviourFor(order)),
  getMovementService(state.book),
  ...getVerificationServices(
    state.book.verifications,
    (requestId) => state.rules.verificationFor(requestId),
    verificationMethod,
  ),
  ...webhookServices(state.book.subscriptions),
];

const RECORD = 'sandboxRecord';

/** The bank's routes, and one for every unknown path: the request log has all requests. */
export function addBankServices(app: FastifyInstance, context: BankServicesContext): void {
  const { state, logger } = context;
  const services = bankServices(context);
  app.decorateRequest(RECORD, null);

  // Runs first for each request, so that the books also have requests that are cut off or held.
  app.addHook('onRequest', (request, reply, done) => {
    const log = state.book.requestLog;
    const service = services.find(
      ({ path, method }) => request.method === method && request.routeOptions.url === path,
    );
    const record = log.arrived(service?.name ?? 'unknown', headerText(request, 'x-giro-time'));
    request.setDecorator(RECORD, record);
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) log.broken(record);
      const { seq, originId, status, outcome: word } = record;
      logger?.debug({ seq, service: record.service, originId, status, outcome: word }, 'request');
    });
    done();
  });

  const sendAnswer = async (request: FastifyRequest, reply: FastifyReply, result: Outcome): Promise<void> => {
    reply.hijack();
    const record = request.getDecorator<RequestRecord>(RECORD);
    await deliver({ request: request.raw, response: reply.raw, record }, result, context);
  };

  for (const service of services) {
    app.route({
      method: service.method,
      url: service.path,
      exposeHeadRoute: false,
      handler: async (request, reply) =>
        sendAnswer(request, reply, await answerOf(service, request, context)),
    });
  }
  app.setNotFoundHandler((request, reply) =>
    sendAnswer(request, reply, outcome('unknown-path', respondError(404, 'NOT_FOUND', 'No such service'))),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // The connection ended before the body was complete: the close handler records that.
    if (error.code === 'ECONNRESET') return reply.hijack();
    const status = error.statusCode ?? 500;
    if (status >= 500) logger?.error({ err: error }, 'sandbox bank failed on a request');
    const answer = respondError(status, 'BAD_REQUEST', 'Unreadable request');
    return sendAnswer(request, reply, outcome('unreadable-request', answer));
  });
}

async function answerOf(
  service: BankService,
  request: FastifyRequest,
  context: BankServicesContext,
): Promise<Outcome> {
  const { state, acceptsToken, verifySignature } = context;
  const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const body = readBody(raw);
  const query = request.query as Query;
  const record = request.getDecorator<RequestRecord>(RECORD);
  enterBody(service, record, raw, body, state);
  record.requestId = service.requestIdOf?.(query) ?? null;

  const outage = outageOutcome(state.outage);
  if (outage !== null) return outage;
  if (acceptsToken !== null && !acceptsToken(tokenOf(request)))
    return outcome('unauthorized', respondError(401, 'UNAUTHORIZED', 'Missing or wrong access token'));
  const { method, url, headers } = request.raw;
  const origin = `${request.protocol}://${request.host}`;
  const signed = { method: method ?? '', origin, url: url ?? '', headers, body: raw };
  if (service.signed && (await verifySignature?.(signed)) === false)
    return outcome('bad-signature', respondError(401, 'BAD_SIGNATURE', 'Missing or wrong signature'));
  if (service.takesBody) {
    if (!isJson(headerText(request, 'content-type')))
      return invalidBody('Content-Type must be application/json');
    if (!body.ok) return invalidBody('the body is not JSON');
  }
  return service.answer(body.ok ? body.value : null, query);
}

function enterBody(
  service: BankService,
  record: RequestRecord,
  raw: Buffer,
  body: ReadBody,
  { book }: BankState,
): void {
  book.requestLog.bodyRead(record, raw);
  const originId = body.ok ? service.originIdOf(body.value) : null;
  if (originId !== null) book.requestLog.identified(record, originId);
}

type ReadBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

function readBody(raw: Buffer): ReadBody {
  try {
    return {
      ok: true,
      value: readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)),
    };
  } catch {
    return { ok: false };
  }
}

const tokenOf = ({ headers }: FastifyRequest): string =>
  (headers.authorization ?? '').replace(/^Bearer /, '');

const isJson = (contentType: string | null): boolean =>
  /^application\/json *(; *charset="?utf-8"? *)?$/i.test(contentType ?? '');

function headerText({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}
