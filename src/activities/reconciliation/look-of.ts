import type { LookupAnswer } from '../../domain/transfer/answers';
import type { BankLook } from '../../reconciliation/books';

/** An answer as what the bank says of a transfer; `at`: when it was heard, ISO UTC. */
export function lookOf(
  answer: LookupAnswer,
  source: 'asked' | 'recorded',
  at: string,
): Exclude<BankLook, { kind: 'not-asked' | 'not-recorded' }> {
  switch (answer.kind) {
    case 'movement':
      return { kind: 'movement', movement: answer.movement, source, at };
    case 'not-found':
      return { kind: 'not-found', source, at };
    case 'no-answer':
      return { kind: 'no-answer', code: answer.error.code, httpStatus: answer.error.httpStatus, at };
  }
}
