import { apply } from './apply';
import type { LookupEnded } from './events';
import { nextStep } from './next-step';
import type { TransferResult } from './result';
import type { TransferState } from './state';

/**
 * The result that is recorded right after this look-up; null: another step comes next, or the transfer goes on. FAILED
 * is recorded with its annulment, which is a separate step.
 */
export function endAfterLookup(before: TransferState, lookup: LookupEnded): TransferResult | null {
  const step = nextStep(apply(before, lookup), lookup.atMs);
  return step.do === 'record-result' ? step.result : null;
}
