/**
 * What a transfer costs the engine while no workflow task times out: bounds that `test/e2e/cost.server.test.ts` holds
 * against real histories, and the arithmetic of docs/scaling.md on top of them.
 */
export const MEASURED = {
  /** COMPLETED after two look-ups, each of which reported another status. */
  completed: { polls: 2, events: 28, transitions: 12 },
  /** FAILED after two look-ups, with its annulment. */
  failed: { polls: 2, events: 33, transitions: 15 },
  unchangedPoll: { events: 6, transitions: 3 },
  /**
   * For each ordinary activity (the create, the annulment) for which its worker has no room at once: its start is then
   * a separate transition. Otherwise the server hands the activity out in the answer to the workflow task.
   */
  waitingActivity: { events: 0, transitions: 1 },
  /** A worker was stopped between two look-ups, and another carries the run on. */
  workerChange: { events: 0, transitions: 0 },
  /** A status that differs from the one before: a search attribute. */
  changedStatus: { events: 1, transitions: 0 },
  continueAsNew: { events: 7, transitions: 3 },
  /**
   * Statements of the journal: received, create claimed, its answer, its end judged and written; a claim each look-up, a
   * record each change.
   */
  journal: { transfer: 5, lookup: 1, changedStatus: 1 },
} as const;

/** Look-ups after which a run continues as new. */
export const POLLS_PER_RUN = 30;
/** CREATED, then IN_PROGRESS, then its end. */
const CHANGES = 2;
/** Of a recorded history, without encryption: 7,351 bytes for 31 events, 44,405 for 231. */
const BYTES_PER_EVENT = 240;

export interface TransferCost {
  readonly polls: number;
  readonly events: number;
  readonly transitions: number;
  readonly historyBytes: number;
  /** With two changes of status after the create's. */
  readonly journalStatements: number;
}

/** A transfer that ends COMPLETED after so many look-ups. */
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
    historyBytes: events * BYTES_PER_EVENT,
    journalStatements:
      journal.transfer + polls * journal.lookup + Math.min(polls, CHANGES) * journal.changedStatus,
  };
}

/** Look-ups of a transfer that is open for this long: one in each gap. */
export const pollsWithin = (durationS: number, gapS: number): number => Math.ceil(durationS / gapS);
