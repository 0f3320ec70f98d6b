import type { ReconciliationContext } from './context';

/** Few enough that one statement does not delay others for long. */
const ROWS_AT_ONCE = 10_000;
/** The next run deletes the rest. */
const TURNS_MAX = 100;

type Forgetting = Pick<
  ReconciliationContext['journal'],
  'markForgotten' | 'nextToForget' | 'forgetRun' | 'noteEmptied' | 'forgetLines'
>;

/**
 * Deletes the details of runs older than `keepMs`, and lines of statements that only these runs used. Breaks and their
 * histories stay.
 */
export async function forgetOldRuns(journal: Forgetting, keepMs: number): Promise<void> {
  await journal.markForgotten(keepMs);
  let turns = 0;
  for (let asOf = await journal.nextToForget(); asOf !== null && turns < TURNS_MAX; turns += 1) {
    if ((await journal.forgetRun({ asOf, limit: ROWS_AT_ONCE })) === ROWS_AT_ONCE) continue;
    await journal.noteEmptied(asOf);
    asOf = await journal.nextToForget();
  }
  for (turns = 0; turns < TURNS_MAX; turns += 1) {
    if ((await journal.forgetLines({ keepMs, limit: ROWS_AT_ONCE })) === 0) return;
  }
}
