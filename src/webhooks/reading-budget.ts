/** Most values that are read in one notification, over all its movements. */
export const NODES_MAX = 10_000;

/** Most ids that are taken from one notification; each costs a comparison in the journal. */
export const CANDIDATES_MAX = 1_000;

/**
 * The rest of what may be read of one notification. Its size alone does not bound the work, because movements share
 * the fields beside them.
 */
export interface ReadingBudget {
  nodes: number;
  candidates: number;
}

export const newBudget = (): ReadingBudget => ({ nodes: NODES_MAX, candidates: CANDIDATES_MAX });
