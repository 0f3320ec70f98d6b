import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import type { BankClient, MovementKey } from './movements/port';
import type { VerificationBank } from './verifications/verification-port';

interface Reply {
  readonly kind: string;
  readonly error?: { readonly code: string; readonly httpStatus: number | null };
}

/**
 * Adds a span for each call, which includes the wait for a token and a repetition after a 401. Spans have only
 * identifiers and values of closed sets, because texts of the bank may contain anything. The bank gets nothing of the
 * trace.
 */
export function tracedBank<B extends BankClient & VerificationBank>(bank: B): B {
  const tracer = trace.getTracer('giro');
  const traced = <R extends Reply>(name: string, ids: Attributes, call: () => Promise<R>): Promise<R> =>
    tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes: ids }, async (span) => {
      try {
        const reply = await call();
        span.setAttribute('giro.outcome', reply.kind);
        if (reply.error !== undefined) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: reply.error.code });
          if (reply.error.httpStatus !== null) {
            span.setAttribute('http.response.status_code', reply.error.httpStatus);
          }
        }
        return reply;
      } finally {
        span.end();
      }
    });
  return {
    ...bank,
    createTransfer: (body, context) => traced('bank create', {}, () => bank.createTransfer(body, context)),
    getMovement: (key, context) =>
      traced('bank get-movement', idsOf(key), () => bank.getMovement(key, context)),
    getVerification: (requestId, context) =>
      traced('bank verification', {}, () => bank.getVerification(requestId, context)),
  };
}

const idsOf = (key: MovementKey): Attributes =>
  Object.fromEntries(Object.entries(key).map(([name, id]) => [`giro.${name}`, id]));
