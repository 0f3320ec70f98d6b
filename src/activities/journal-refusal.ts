import { JournalStatementError } from '../journal/errors';

/** A guard or a constraint of the journal refused a write: a retry would meet the same rule. */
export interface JournalRefusal {
  /** For people: the rule; no values of the row. */
  readonly reason: string;
  /** SQLSTATE. */
  readonly code: string;
}

/**
 * SQLSTATEs of refusals: by a guard (`GR002`), of a change (`GR003`), by a constraint (class 23). A lost race is not a
 * refusal.
 */
const REFUSED = /^(?:GR002|GR003|23.{3})$/;

/**
 * Returns a refusal as a value, so that the step does not fail for ever. Throws any other error, so that the step is
 * retried.
 */
export async function orRefused<T>(
  step: () => Promise<T>,
): Promise<T | { readonly kind: 'refused'; readonly refusal: JournalRefusal }> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof JournalStatementError) || !REFUSED.test(error.sqlState)) throw error;
    return { kind: 'refused', refusal: { reason: error.message, code: error.sqlState } };
  }
}
