import type { BookEntry } from './books';
import type { VerificationEntry } from './verifications';

/** The JSON of `--report` (contract section 1), and the verifications. */
export function reportOf(entries: readonly BookEntry[], verifications: readonly VerificationEntry[]) {
  return {
    scenarios: entries.map(({ scenario, seen, polls, bankMovements, annulments, differences }) => ({
      name: scenario.name,
      originId: scenario.originId,
      expected: scenario.expected,
      seen,
      ok: differences.length === 0,
      polls,
      bankMovements,
      annulments,
    })),
    verifications: verifications.map(({ scenario, seen, polls, differences }) => ({
      name: scenario.name,
      requestId: scenario.requestId,
      expected: scenario.expected,
      seen,
      ok: differences.length === 0,
      polls,
    })),
  };
}
