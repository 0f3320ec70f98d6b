/** Most values that are looked at in one notification, of all its movements together. */
export const NODES_MAX = 10_000;

/** Most ids that are taken from one notification; each costs a comparison in the journal. */
export const CANDIDATES_MAX = 1_000;

/** What may still be read of one notification. Its size does not bound the work: movements share what is beside them. */
export interface ReadingBudget {
  nodes: number;
  candidates: number;
}

export const newBudget = (): ReadingBudget => ({ nodes: NODES_MAX, candidates: CANDIDATES_MAX });
