import type { ReconciliationContext } from './context';

/** One statement must not hold up others for long. */
const ROWS_AT_ONCE = 10_000;
/** What is left over goes with the next run. */
const TURNS_MAX = 100;

/** Has the journal let go of what runs older than that looked at and saw. Their breaks stay, and so do these' histories. */
export async function forgetOldRuns(
  journal: Pick<ReconciliationContext['journal'], 'markForgotten' | 'forgetRows'>,
  keepMs: number,
): Promise<void> {
  await journal.markForgotten(keepMs);
  for (let turn = 1; turn <= TURNS_MAX; turn += 1) {
    if ((await journal.forgetRows({ keepMs, limit: ROWS_AT_ONCE })) < ROWS_AT_ONCE) return;
  }
}
