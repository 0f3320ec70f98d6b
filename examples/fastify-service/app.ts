import fastify from 'fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  InvalidTransferOrderError,
  NoWorkerAnswerError,
  OriginIdConflictError,
  ServerUnreachableError,
  TransferNotFoundError,
} from 'giro/client';
import type { GiroClient } from 'giro/client';

/** The methods of Giro that the service needs. */
export type Payments = Pick<GiroClient, 'startTransfer' | 'transferState'>;

/**
 * A backend service in front of Giro: `POST /payments` starts a transfer and answers at once, `GET /payments/ORIGIN_ID`
 * returns its state. Add your own authentication.
 */
export function paymentsApp(giro: Payments): FastifyInstance {
  const app = fastify({ bodyLimit: 16 * 1024 });

  // Safe to repeat: the same order is the same transfer. 202, because the bank has not answered yet.
  app.post('/payments', async (request, reply) => {
    const { originId, started } = await giro.startTransfer(request.body);
    return reply
      .code(started ? 202 : 200)
      .header('location', `/payments/${originId}`)
      .send({ originId });
  });

  app.get<{ Params: { originId: string } }>('/payments/:originId', async ({ params }, reply) => {
    const originId = Number(params.originId);
    if (!Number.isSafeInteger(originId)) return reply.code(404).send({ error: 'no such payment' });
    return giro.transferState(originId);
  });

  app.setErrorHandler((error, _request, reply) => answerError(error, reply));
  return app;
}

/** One answer for each action of this service's caller. */
function answerError(error: unknown, reply: FastifyReply): FastifyReply {
  // Correct the order. The issues name fields, never values.
  if (error instanceof InvalidTransferOrderError) return reply.code(422).send({ issues: error.issues });
  // Use a new originId: this one belongs to another payment.
  if (error instanceof OriginIdConflictError) return reply.code(409).send({ error: 'originId is taken' });
  if (error instanceof TransferNotFoundError) return reply.code(404).send({ error: 'no such payment' });
  // The transfer may or may not have started: repeat the same request until it is answered.
  if (error instanceof ServerUnreachableError || error instanceof NoWorkerAnswerError)
    return reply.code(503).header('retry-after', '5').send({ error: 'try again' });
  const status = (error as { readonly statusCode?: number }).statusCode ?? 500;
  return reply.code(status).send({ error: status < 500 ? 'the request cannot be read' : 'unexpected' });
}
