import { healthOf } from '../bank/limiter/health';
import type { MovementRequest, Permit } from '../bank/limiter/limiter';
import type { CreateReply, LookupReply } from '../bank/movements/port';
import type { TransferActivityContext } from './context';
import type { NumberedRequest, RequestOutcome } from './numbered-request';

/**
 * Runs a step under a permit of the limiter. The permit comes first, so that a request that must wait long claims no
 * number. A step that finds its number claimed makes no request, and returns the permit unused.
 */
export async function withPermit<Answer>(
  { limiter }: Pick<TransferActivityContext, 'limiter'>,
  request: MovementRequest,
  { returning }: NumberedRequest,
  step: (permit: Permit) => Promise<RequestOutcome<Answer>>,
): Promise<RequestOutcome<Answer>> {
  const admission = await limiter.admit(request, { returning });
  if (admission.kind === 'deferred') return { kind: 'deferred', afterMs: admission.afterMs };
  try {
    return await step(admission.permit);
  } finally {
    admission.permit.release();
  }
}

/** Reports a reply to the circuit breaker. Without a token no request was made, so nothing is reported. */
export function reportHealth(permit: Permit, reply: CreateReply | LookupReply): void {
  const health = healthOf(reply);
  if (health !== null) permit.made(health);
}
