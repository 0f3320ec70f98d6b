/** The phases of a run, in order; the `statement` phases only with a statement. */
export const PHASES = [
  'lines',
  'transfers',
  'missing',
  'engine',
  'references',
  'orphans',
  'statement',
] as const;
export type Phase = (typeof PHASES)[number];

/**
 * The progress of a run. `after`: the last processed originId or line (0: none); `token`: Temporal's page token in its
 * list of runs.
 */
export interface Cursor {
  readonly phase: Phase;
  readonly after: number;
  readonly token: string | null;
}

export const startOf = (phase: Phase): Cursor => ({ phase, after: 0, token: null });

/** The beginning of the next phase; null: the run is complete. */
export function phaseAfter(phase: Phase, hasStatement: boolean): Cursor | null {
  const next = PHASES.slice(PHASES.indexOf(phase) + 1).find(
    (one) => hasStatement || (one !== 'lines' && one !== 'statement'),
  );
  return next === undefined ? null : startOf(next);
}
