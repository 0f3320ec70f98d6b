import type { TransferOrder } from '../../domain/order';
import type { LookupAnswer } from '../../domain/transfer/answers';
import type { LookupReply } from './port';
import { seeMovement } from './see-movement';

/** What a transfer may know, and the journal keep, of a look-up's reply; `order` as for `seeMovement`. */
export function lookupAnswer(order: TransferOrder | null, reply: LookupReply): LookupAnswer {
  switch (reply.kind) {
    case 'movement':
      return {
        kind: 'movement',
        movement: seeMovement(order, reply),
        retryAfterMs: reply.retryAfterMs ?? null,
      };
    case 'not-found':
      return reply;
    case 'no-answer':
      return { kind: 'no-answer', error: reply.error };
  }
}
