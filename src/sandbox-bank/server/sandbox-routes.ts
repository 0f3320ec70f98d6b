import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { JSON_TYPE } from '../answers/answer';
import { readJson, writeJson } from '../json';
import { freeNotification } from '../notifications/notification';
import { pathText, readStates, readStatuses, RuleSet, SandboxRulesInvalid } from '../rules/rule-set';
import type { BankState } from './bank-state';
import { OUTAGE_MODES, outageSchema } from './bank-state';

const subscriptionsSchema = z.array(
  z.strictObject({
    eventType: z.string().min(1).max(100),
    endpoint: z.url({ protocol: /^https?$/ }),
    info: z.string().default('Movements that require notification'),
    secretKey: z.string().min(1).nullable().default(null),
    signature: z.enum(['standard', 'hmac']).default('standard'),
  }),
);

const freeSchema = z.strictObject({ eventType: z.string().min(1).max(100), body: z.unknown() });

interface BookQuery {
  readonly originId?: string;
  readonly requestId?: string;
  readonly after?: string;
}

/** The sandbox's control paths: books, rules, outage. They need no token, and the request log leaves them out. */
export function addSandboxRoutes(app: FastifyInstance, state: BankState): void {
  const { book } = state;
  // Errors of the tester's requests must not look like the bank's faults.
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    if (error instanceof SandboxRulesInvalid) return refuse(reply, error.message, error.problems);
    if (error instanceof SyntaxError) return refuse(reply, `the body is not JSON: ${error.message}`, []);
    return send(reply, error.statusCode ?? 500, { code: 'SANDBOX', message: error.message });
  });

  app.get('/sandbox/rules', (_request, reply) => send(reply, 200, state.rules.source));
  app.put('/sandbox/rules', (request, reply) => {
    state.rules = RuleSet.read(bodyOf(request.body));
    return send(reply, 200, state.rules.source);
  });

  app.get('/sandbox/outage', (_request, reply) => send(reply, 200, { mode: state.outage }));
  app.put('/sandbox/outage', (request, reply) => {
    const parsed = outageSchema.safeParse(bodyOf(request.body));
    if (!parsed.success)
      return refuse(reply, `mode must be one of ${OUTAGE_MODES.join(', ')}`, problemsOf(parsed.error));
    state.outage = parsed.data.mode;
    return send(reply, 200, parsed.data);
  });

  app.get<{ Querystring: BookQuery }>('/sandbox/movements', ({ query }, reply) => {
    if (query.originId === undefined) return send(reply, 200, book.movements());
    const movement = book.movement(query.originId);
    return send(reply, 200, movement === null ? [] : [movement]);
  });
  app.put<{ Params: { readonly originId: string } }>('/sandbox/movements/:originId', (request, reply) => {
    const { originId } = request.params;
    if (!book.restate(originId, readStates(bodyOf(request.body))))
      return send(reply, 404, { code: 'MOVEMENT_NOT_FOUND', message: 'No movement with this originId' });
    return send(reply, 200, book.movement(originId));
  });
  app.get<{ Querystring: BookQuery }>('/sandbox/verifications', ({ query }, reply) => {
    const { requestId } = query;
    if (requestId === undefined) return send(reply, 200, book.verifications.records());
    const record = book.verifications.record(requestId);
    return send(reply, 200, record === null ? [] : [record]);
  });
  app.put<{ Params: { readonly requestId: string } }>(
    '/sandbox/verifications/:requestId',
    (request, reply) => {
      const { requestId } = request.params;
      if (!book.verifications.restate(requestId, readStatuses(bodyOf(request.body)))) {
        const message = 'No verification with this requestId was asked for yet';
        return send(reply, 404, { code: 'VERIFICATION_NOT_FOUND', message });
      }
      return send(reply, 200, book.verifications.record(requestId));
    },
  );
  app.get<{ Querystring: BookQuery }>('/sandbox/requests', ({ query }, reply) => {
    const after = z.coerce
      .number()
      .int()
      .min(0)
      .safeParse(query.after ?? '0');
    if (!after.success) return refuse(reply, 'after must be a seq', problemsOf(after.error));
    const requests = book.requests(query.originId ?? null, after.data);
    const { requestId } = query;
    return send(
      reply,
      200,
      requestId === undefined ? requests : requests.filter((request) => request.requestId === requestId),
    );
  });
  app.get('/sandbox/webhooks', (_request, reply) => send(reply, 200, book.subscriptions.list()));
  app.put('/sandbox/webhooks', (request, reply) => {
    const parsed = subscriptionsSchema.safeParse(bodyOf(request.body));
    if (!parsed.success) return refuse(reply, 'the subscriptions are not valid', problemsOf(parsed.error));
    book.subscriptions.replaceAll(parsed.data);
    return send(reply, 200, book.subscriptions.list());
  });
  app.get('/sandbox/notifications', (_request, reply) => send(reply, 200, book.notifier.records));
  app.post('/sandbox/notifications', (request, reply) => {
    const parsed = freeSchema.safeParse(bodyOf(request.body));
    if (!parsed.success) return refuse(reply, 'the notification is not valid', problemsOf(parsed.error));
    const { eventType, body } = parsed.data;
    if (book.subscriptions.of(eventType) === null)
      return send(reply, 404, { code: 'NOT_SUBSCRIBED', message: 'No such subscription' });
    return send(reply, 200, book.notifier.send(freeNotification(eventType, body)));
  });
  app.delete('/sandbox/book', (_request, reply) => {
    book.reset();
    return reply.code(204).send();
  });
}

function bodyOf(body: unknown): unknown {
  return readJson(Buffer.isBuffer(body) ? body.toString('utf8') : '');
}

const send = (reply: FastifyReply, status: number, value: unknown) =>
  reply.code(status).header('content-type', JSON_TYPE).send(writeJson(value));

const refuse = (reply: FastifyReply, message: string, problems: readonly unknown[]) =>
  send(reply, 400, { code: 'VALIDATION', message, problems });

const problemsOf = ({ issues }: z.ZodError) =>
  issues.map(({ path, message }) => ({ path: pathText(path), problem: message }));
