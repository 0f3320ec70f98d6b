import { Book } from '../book/book';
import { RuleSet } from '../rules/rule-set';
import { z } from 'zod';
import type { Outcome } from '../answers/answer';
import { outcome, respondError } from '../answers/answer';

/** An outage of the entire bank; overrides the rules. `hang`: no answer, nothing executed. */
export const OUTAGE_MODES = ['none', 'http-503', 'reset', 'hang'] as const;
export type OutageMode = (typeof OUTAGE_MODES)[number];

export const outageSchema = z.strictObject({ mode: z.enum(OUTAGE_MODES) });

/** Requests held when an outage ends stay held: their answer is lost. */
const HANG_MAX_MS = 600_000;

export function outageOutcome(mode: OutageMode): Outcome | null {
  switch (mode) {
    case 'none':
      return null;
    case 'http-503':
      return outcome(
        'outage-http-503',
        respondError(503, 'NETWORK_NOT_AVAILABLE', 'The bank is not available'),
      );
    case 'reset':
      return outcome('outage-reset', { kind: 'reset' });
    case 'hang':
      return outcome('outage-hang', { kind: 'hold', holdMs: HANG_MAX_MS });
  }
}

/** State that can change while the bank runs. */
export interface BankState {
  readonly book: Book;
  /** For new originIds only. */
  rules: RuleSet;
  outage: OutageMode;
}

export const initialState = (rules: unknown): BankState => ({
  book: new Book(),
  rules: RuleSet.read(rules),
  outage: 'none',
});
