/** What a run does one after the other; `statement` parts only when there is one. */
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
 * Where a run stands. `after`: the last originId or line that was done (0: none); `token`: the engine's own place in
 * its list of runs.
 */
export interface Cursor {
  readonly phase: Phase;
  readonly after: number;
  readonly token: string | null;
}

export const startOf = (phase: Phase): Cursor => ({ phase, after: 0, token: null });

/** The beginning of the phase that follows; null: the run is through. */
export function phaseAfter(phase: Phase, hasStatement: boolean): Cursor | null {
  const next = PHASES.slice(PHASES.indexOf(phase) + 1).find(
    (one) => hasStatement || (one !== 'lines' && one !== 'statement'),
  );
  return next === undefined ? null : startOf(next);
}
