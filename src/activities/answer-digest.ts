import { createHash } from 'node:crypto';
import type { CreateAnswer, LookupAnswer } from '../domain/transfer/answers';
import { essenceOf } from '../domain/transfer/evidence';

/**
 * Equal for answers with the same meaning for a transfer. Leaves out the evidence hash and Retry-After, which differ
 * from answer to answer while nothing changes. A movement in a look-up's answer is not equal to the same movement in a
 * create's answer. After a look-up has found a movement, not even operators may have the order sent again.
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
