import { initialState } from '../../src/domain/transfer/state';
import type { ModelJournal } from './journal-model';
import { lastNumber } from './world';
import type { Truth, World } from './world';

/** Another PostgreSQL has taken over. */
export const failedOver = (world: World): World => ({ ...world, journalId: `${world.journalId}+` });

/** What was lost is known to the run that made it; of another one's request, and without a run, nobody knows. */
const truthAfterLoss = ({ run, journal, truth }: World): Truth => ({
  ...truth,
  isLineLost: true,
  isUntold: truth.isUntold || run === null || run.requests.lastNumber < lastNumber(journal),
});

/** PostgreSQL fails over, and the last line that was written is gone. */
export function loseLastLine(world: World): World | null {
  const { journal } = world;
  if (journal.result !== null || journal.nextRecordId === 1 || world.truth.isLineLost) return null;
  const recordId = journal.nextRecordId - 1;
  const isLast = (line: { readonly recordId: number }): boolean => line.recordId === recordId;
  const lost: ModelJournal = {
    ...journal,
    nextRecordId: recordId,
    requests: journal.requests.map((line) =>
      line.answer !== null && isLast(line.answer) ? { ...line, answer: null } : line,
    ),
    decisions: journal.decisions.filter((line) => !isLast(line)),
    flags: journal.flags.filter((line) => !isLast(line)),
    doubts: journal.doubts.filter((line) => !isLast(line)),
  };
  return { ...failedOver(world), journal: lost, truth: truthAfterLoss(world) };
}

/** PostgreSQL fails over, and the last request is gone, with its answer and what was written after it. */
export function loseLastRequest(world: World): World | null {
  const { journal } = world;
  const last = journal.requests.at(-1);
  if (journal.result !== null || last === undefined || world.truth.isLineLost) return null;
  const since = last.answer?.recordId ?? journal.nextRecordId;
  const isKept = (line: { readonly recordId: number }): boolean => line.recordId < since;
  const lost: ModelJournal = {
    ...journal,
    requests: journal.requests.slice(0, -1),
    decisions: journal.decisions.filter(isKept),
    flags: journal.flags.filter(isKept),
    doubts: journal.doubts.filter(isKept),
  };
  return { ...failedOver(world), journal: lost, truth: truthAfterLoss(world) };
}

/** The run is gone: terminated, deleted, forgotten. */
export const loseRun = (world: World): World => ({
  ...world,
  run: null,
  truth: {
    ...world.truth,
    isUntold: world.truth.isUntold || world.truth.isLineLost,
    lostRuns: world.truth.lostRuns + 1,
  },
});

/** Recovery starts a run, which reads the journal. */
export function recover(world: World): World | null {
  const { journal, nowMs } = world;
  if (world.run !== null || journal.result !== null) return null;
  return { ...world, nowMs: nowMs + 60_000, run: initialState(4711, nowMs + 60_000) };
}
