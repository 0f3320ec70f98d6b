import { isFinalStatus } from './movement';
import type { LookupAnswer, SeenMovement } from './transfer/answers';
import type { TransferResult } from './transfer/result';

/** How the bank may contradict the end of a transfer later. Each is reported to people; none moves money. */
export const CONTRADICTIONS = {
  COMPLETED_THEN_FAILED: 'the bank said COMPLETED and now says FAILED: the money may have come back',
  FAILED_THEN_COMPLETED:
    'the bank said FAILED and now says COMPLETED: the money may have gone out although the annulment released the funds',
  FINAL_REOPENED: 'the bank gave a final status and now gives one that is not final: it may end differently',
  FINAL_NOT_FOUND: 'the bank gave a final status and now knows no such movement',
  REFUSED_BUT_KNOWN: 'the transfer was closed as never taken by the bank, and the bank has a movement for it',
  WITHDRAWN_BUT_KNOWN: 'the transfer was withdrawn before it was sent, and the bank has a movement for it',
  OTHER_MOVEMENT: 'what the bank has under this originId is not the movement that ended the transfer',
} as const satisfies Record<string, string>;
export type Contradiction = keyof typeof CONTRADICTIONS;

export type FinalJudgement =
  | { readonly kind: 'agrees' }
  /** No readable answer, or one from which nothing follows. */
  | { readonly kind: 'says-nothing' }
  | { readonly kind: 'contradicts'; readonly fact: Contradiction };

const AGREES: FinalJudgement = { kind: 'agrees' };
const SAYS_NOTHING: FinalJudgement = { kind: 'says-nothing' };
const contradicts = (fact: Contradiction): FinalJudgement => ({ kind: 'contradicts', fact });

/**
 * Compares how a transfer ended with what the bank answers now. The answer's echo has been compared with the order, as
 * in every look-up. One readable not-found is enough here, although a repeated create needs twelve. Only people act on
 * an incident, and Giro asks about finals so rarely that twelve answers would take days.
 */
export function judgeFinal(result: TransferResult, answer: LookupAnswer): FinalJudgement {
  const wasTaken = isFinalStatus(result.status);
  switch (answer.kind) {
    case 'no-answer':
      return SAYS_NOTHING;
    case 'not-found':
      return wasTaken ? contradicts('FINAL_NOT_FOUND') : AGREES;
    case 'movement':
      if (isOtherMovement(result, answer.movement)) return contradicts('OTHER_MOVEMENT');
      // Operators closed the transfer knowing this movement and its echo, but another final status of the movement is
      // still news.
      if (answer.movement.echo === 'mismatch' && !isOtherFinal(result, answer.movement)) return SAYS_NOTHING;
      return judgeMovement(result, answer.movement);
  }
}

function isOtherMovement({ movementId, decidedBy }: TransferResult, seen: SeenMovement): boolean {
  if (movementId !== null && seen.movementId !== null && movementId !== seen.movementId) return true;
  if (seen.echo !== 'mismatch') return false;
  const isTheOneDecidedOn = decidedBy === 'operators' && movementId !== null;
  return !isTheOneDecidedOn;
}

const isOtherFinal = (result: TransferResult, seen: SeenMovement): boolean =>
  isFinalStatus(seen.status) && seen.status !== result.status;

function judgeMovement({ status, decidedBy }: TransferResult, seen: SeenMovement): FinalJudgement {
  switch (status) {
    case 'REFUSED':
      return contradicts('REFUSED_BUT_KNOWN');
    case 'WITHDRAWN':
      return contradicts('WITHDRAWN_BUT_KNOWN');
    case 'COMPLETED':
    case 'FAILED':
      // An incomplete echo ends no transfer, so it confirms no end.
      if (seen.status === status) return seen.echo === 'match' ? AGREES : SAYS_NOTHING;
      if (isFinalStatus(seen.status)) {
        return contradicts(status === 'COMPLETED' ? 'COMPLETED_THEN_FAILED' : 'FAILED_THEN_COMPLETED');
      }
      // Operators decided this end, for example by an unknown status, or by a final one whose echo did not match. A
      // status that is not final does not contradict them.
      return decidedBy === 'operators' ? SAYS_NOTHING : contradicts('FINAL_REOPENED');
  }
}
