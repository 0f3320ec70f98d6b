import type { BookEntry } from './books';

/** The JSON of `--report` (contract section 1). */
export function reportOf(entries: readonly BookEntry[]) {
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
  };
}
