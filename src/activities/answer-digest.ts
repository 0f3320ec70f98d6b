import { createHash } from 'node:crypto';
import type { CreateAnswer, LookupAnswer } from '../domain/transfer/answers';
import { essenceOf } from '../domain/transfer/evidence';

/**
 * Equal for answers that tell a transfer the same. The evidence hash and Retry-After are left out: they differ from
 * answer to answer while nothing changes. What a look-up found is told apart from what a create was answered with:
 * only the first keeps an order from being sent again by operators.
 */
export function answerDigest(answer: CreateAnswer | LookupAnswer): string {
  return createHash('sha256')
    .update(JSON.stringify(essence(answer)))
    .digest('hex')
    .slice(0, 32);
}

function essence(answer: CreateAnswer | LookupAnswer): unknown {
  switch (answer.kind) {
    case 'answered':
    case 'movement':
      return [answer.kind, ...essenceOf(answer.movement)];
    case 'refused':
      return ['refused', answer.httpStatus, answer.code];
    case 'not-sent':
    case 'unknown':
    case 'no-answer':
      return [answer.kind, answer.error.code, answer.error.httpStatus];
    case 'not-found':
      return ['not-found'];
  }
}
