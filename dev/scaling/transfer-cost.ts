/**
 * The cost of a transfer for Temporal while no workflow task times out. `test/e2e/cost.server.test.ts` compares these
 * bounds with real histories; the arithmetic of docs/scaling.md starts from them.
 */
export const MEASURED = {
  /** COMPLETED after two look-ups, each of which reported another status. */
  completed: { polls: 2, events: 26, transitions: 12 },
  /** FAILED after two look-ups, with its annulment. */
  failed: { polls: 2, events: 32, transitions: 15 },
  unchangedPoll: { events: 6, transitions: 3 },
  /**
   * For each ordinary activity (the create, the annulment) that has to wait for a free slot of a worker: its start is
   * then a separate transition. Otherwise the server hands the activity out in the answer to the workflow task.
   */
  waitingActivity: { events: 0, transitions: 1 },
  /** A worker was stopped between two look-ups, and another one continues the run. */
  workerChange: { events: 0, transitions: 0 },
  /** A changed status: an upsert of a search attribute. */
  changedStatus: { events: 1, transitions: 0 },
  continueAsNew: { events: 7, transitions: 3 },
  /**
   * Statements of the journal. `transfer`: receipt, claim of the create, its answer, check of the end, result.
   * `lookup`: the claim. `changedStatus`: the recorded answer.
   */
  journal: { transfer: 5, lookup: 1, changedStatus: 1 },
} as const;

/** Look-ups after which a run continues as new. */
export const POLLS_PER_RUN = 30;
/** Changes of status of a transfer: CREATED, then IN_PROGRESS, then the final status. */
const CHANGES = 2;
/**
 * Bytes without encryption, by the sizes that Temporal notes in the recorded histories (`test/histories`: completed,
 * continues-as-new, continued-as-new).
 */
const BYTES = { completed: 8_500, unchangedPoll: 1_500, continueAsNew: 6_500 } as const;

export interface TransferCost {
  readonly polls: number;
  readonly events: number;
  readonly transitions: number;
  readonly historyBytes: number;
  /** With two changes of status after that of the create. */
  readonly journalStatements: number;
}

/** The cost of a transfer that ends COMPLETED after `polls` look-ups. */
export function transferCost(polls: number): TransferCost {
  const { completed, unchangedPoll, continueAsNew, journal } = MEASURED;
  const further = Math.max(0, polls - completed.polls);
  const continuations = Math.max(0, Math.ceil(polls / POLLS_PER_RUN) - 1);
  const events = completed.events + further * unchangedPoll.events + continuations * continueAsNew.events;
  const transitions =
    completed.transitions + further * unchangedPoll.transitions + continuations * continueAsNew.transitions;
  return {
    polls,
    events,
    transitions,
    historyBytes: BYTES.completed + further * BYTES.unchangedPoll + continuations * BYTES.continueAsNew,
    journalStatements:
      journal.transfer + polls * journal.lookup + Math.min(polls, CHANGES) * journal.changedStatus,
  };
}

/** Look-ups of a transfer that is open for this long: one in each gap. */
export const pollsWithin = (durationS: number, gapS: number): number => Math.ceil(durationS / gapS);
