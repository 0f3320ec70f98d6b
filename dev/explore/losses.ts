import { initialState } from '../../src/domain/transfer/state';
import type { ModelJournal } from './journal-model';
import { lastNumber } from './world';
import type { Truth, World } from './world';

/** Another PostgreSQL has taken over. */
export const failedOver = (world: World): World => ({ ...world, journalId: `${world.journalId}+` });

/**
 * A run notices that rows of its requests are lost. Nobody notices a lost request of another worker, or a loss while no
 * run exists.
 */
const truthAfterLoss = ({ run, journal, truth }: World, kept: ModelJournal): Truth => ({
  ...truth,
  isLineLost: true,
  isDecisionLost: kept.decisions.length < journal.decisions.length,
  isLossUnknown: truth.isLossUnknown || run === null || run.requests.lastNumber < lastNumber(journal),
});

/** The journal with the last claim and without everything recorded since; null: nothing was. */
export function withoutLastAnswer(journal: ModelJournal): ModelJournal | null {
  const since = journal.requests.at(-1)?.answer?.recordId;
  if (since === undefined) return null;
  const isKept = (line: { readonly recordId: number }): boolean => line.recordId < since;
  return {
    ...journal,
    nextRecordId: since,
    requests: journal.requests.map((line) =>
      line.answer === null || isKept(line.answer) ? line : { ...line, answer: null },
    ),
    decisions: journal.decisions.filter(isKept),
    flags: journal.flags.filter(isKept),
    doubts: journal.doubts.filter(isKept),
  };
}

/** PostgreSQL fails over to a server that has the journal `kept`. At most once in a trace. */
export const failOver = (world: World, kept: ModelJournal): World => ({
  ...failedOver(world),
  journal: kept,
  truth: truthAfterLoss(world, kept),
});

/** The run is gone: terminated, deleted, forgotten. */
export const loseRun = (world: World): World => ({
  ...world,
  run: null,
  truth: {
    ...world.truth,
    isLossUnknown: world.truth.isLossUnknown || world.truth.isLineLost,
    lostRuns: world.truth.lostRuns + 1,
  },
});

/** Recovery starts a run, which reads the journal. */
export function recover(world: World): World | null {
  const { journal, nowMs } = world;
  if (world.run !== null || journal.result !== null) return null;
  return { ...world, nowMs: nowMs + 60_000, run: initialState(4711, nowMs + 60_000) };
}
