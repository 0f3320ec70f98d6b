import type { Books, Rule, Violation } from './books';
import { reconciliation, verifications } from './rules/beside';
import { cadence } from './rules/cadence';
import { annulments, notTaken, results, unended, unrecordedEnds } from './rules/ends';
import { flagMissing, flagWithoutCause, standsStill } from './rules/open';
import { amounts, lostOrInvented, unsigned } from './rules/orders';
import { events, histories } from './rules/records';
import { movedTwice, sentAgain, unwritten } from './rules/sending';

const RULES: readonly Rule[] = [
  ...[movedTwice, sentAgain, unwritten],
  ...[lostOrInvented, amounts, unsigned],
  ...[results, unrecordedEnds, unended, annulments, notTaken],
  ...[cadence, standsStill, flagWithoutCause, flagMissing],
  ...[histories, events],
  ...[verifications, reconciliation],
];

/**
 * Checks only the books, and shares no code with the product, so that it cannot share the product's mistakes. An empty
 * list: every promise in the rules was kept.
 */
export const audit = (books: Books): readonly Violation[] => RULES.flatMap((rule) => rule(books));
