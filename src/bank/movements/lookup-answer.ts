import type { DifferingValue } from '../../domain/echo';
import type { TransferOrder } from '../../domain/order';
import type { LookupAnswer } from '../../domain/transfer/answers';
import type { LookupReply } from './port';
import { observeMovement } from './see-movement';

/** What a transfer may know, and the journal keep, of a look-up's reply; `order` as for `observeMovement`. */
export const lookupAnswer = (order: TransferOrder | null, reply: LookupReply): LookupAnswer =>
  observeLookup(order, reply).answer;

/** The same, and apart from it what only people may see, sealed. */
export function observeLookup(
  order: TransferOrder | null,
  reply: LookupReply,
): { readonly answer: LookupAnswer; readonly differing: readonly DifferingValue[] } {
  switch (reply.kind) {
    case 'movement': {
      const { movement, differing } = observeMovement(order, reply);
      return {
        answer: { kind: 'movement', movement, retryAfterMs: reply.retryAfterMs ?? null },
        differing,
      };
    }
    case 'not-found':
      return { answer: reply, differing: [] };
    case 'no-answer':
      return { answer: { kind: 'no-answer', error: reply.error }, differing: [] };
  }
}
