import type { Pass } from '../bank/gate/gate';
import { healthOf } from '../bank/gate/health';
import type { MovementLane } from '../bank/gate/pacer';
import type { CreateReply, LookupReply } from '../bank/movements/port';
import type { TransferActivityContext } from './context';
import type { NumberedRequest, RequestOutcome } from './numbered-request';

/**
 * Has a step pass the gate before the bank, first of all: a request that has to wait long claims no number. A step
 * that finds its number claimed makes no request, and its pass goes back.
 */
export async function throughGate<Answer>(
  { gate }: Pick<TransferActivityContext, 'gate'>,
  lane: MovementLane,
  { returning }: NumberedRequest,
  step: (pass: Pass) => Promise<RequestOutcome<Answer>>,
): Promise<RequestOutcome<Answer>> {
  const entry = await gate.enter(lane, { returning });
  if (entry.kind === 'later') return { kind: 'deferred', afterMs: entry.afterMs };
  try {
    return await step(entry.pass);
  } finally {
    entry.pass.close();
  }
}

/** A request was made, and what came of it tells how the bank is; without a token none was. */
export function tellHealth(pass: Pass, reply: CreateReply | LookupReply): void {
  const health = healthOf(reply);
  if (health !== null) pass.made(health);
}
