/** Maximum number of values that are read from one notification, over all its movements. */
export const NODES_MAX = 10_000;

/** Maximum number of ids that are taken from one notification; each costs a comparison in the journal. */
export const CANDIDATES_MAX = 1_000;

/**
 * How much of one notification may still be read. The notification's size alone does not limit the work, because all
 * movements share the fields outside their list.
 */
export interface ReadingBudget {
  nodes: number;
  candidates: number;
}

export const newBudget = (): ReadingBudget => ({ nodes: NODES_MAX, candidates: CANDIDATES_MAX });
