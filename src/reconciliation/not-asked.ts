import type { BookedTransfer } from './books';
import type { NotAsked, Outcome } from './report';

/**
 * What this run could not look at, with why. A question without a readable answer counts: nothing was learnt. An open
 * transfer that has no answer yet does not: its own run is at work on it.
 */
export function notAskedOf({ originId, bank, run }: BookedTransfer): NotAsked[] {
  const found: NotAsked[] = [];
  if (bank.kind === 'no-answer') found.push({ originId, book: 'bank', reason: 'NO_ANSWER' });
  if (bank.kind === 'not-asked' && bank.reason !== 'NOTHING_RECORDED') {
    found.push({ originId, book: 'bank', reason: bank.reason });
  }
  if (run.kind === 'unknown') found.push({ originId, book: 'engine', reason: 'ENGINE_UNREACHABLE' });
  return found;
}

/** A run that could not look everywhere cannot say CLEAN, and its BREAKS may not be all. */
export function outcomeOf(unresolvedBreaks: number, notAsked: number): Outcome {
  if (notAsked > 0) return 'PARTIAL';
  return unresolvedBreaks > 0 ? 'BREAKS' : 'CLEAN';
}
