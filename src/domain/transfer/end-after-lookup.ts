import { apply } from './apply';
import type { LookupEnded } from './events';
import { nextStep } from './next-step';
import type { TransferResult } from './result';
import type { TransferState } from './state';

/**
 * The result to record right after this look-up; null: none, because the transfer continues or another step comes
 * first. A FAILED result is recorded together with its annulment, in a separate step, so it gives null too.
 */
export function endAfterLookup(before: TransferState, lookup: LookupEnded): TransferResult | null {
  const step = nextStep(apply(before, lookup), lookup.atMs);
  return step.do === 'record-result' ? step.result : null;
}
