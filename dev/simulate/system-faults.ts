import type { Draws } from './random';

/** What happens to servers, and to the lines from workers and receiver to them. */
export const SYSTEM_FAULTS = {
  'engine killed': { part: 'engine', how: 'killed' },
  'engine stands still': { part: 'engine', how: 'stopped' },
  'journal killed': { part: 'journal', how: 'killed' },
  'journal stands still': { part: 'journal', how: 'stopped' },
  'line to the bank cut': { part: 'bank', how: 'cut' },
  'line to the bank silent': { part: 'bank', how: 'silent' },
  'line to the bank slow': { part: 'bank', how: 'slow' },
  'line to the journal cut': { part: 'journal', how: 'cut' },
  'line to the journal silent': { part: 'journal', how: 'silent' },
  'line to the journal slow': { part: 'journal', how: 'slow' },
  'line to the engine cut': { part: 'engine', how: 'cut' },
  'line to the engine silent': { part: 'engine', how: 'silent' },
  'line to the engine slow': { part: 'engine', how: 'slow' },
} as const satisfies Record<
  string,
  | { readonly part: 'engine' | 'journal'; readonly how: 'killed' | 'stopped' }
  | { readonly part: 'engine' | 'journal' | 'bank'; readonly how: 'cut' | 'silent' | 'slow' }
>;
export type SystemFaultName = keyof typeof SYSTEM_FAULTS;

export interface PlannedSystemFault {
  readonly name: SystemFaultName;
  /** From the start of the simulation; one that is still on is waited for. */
  readonly atMs: number;
  /** Until it is mended. */
  readonly forMs: number;
}

/** Two within `spanMs` from `fromMs` on. One in five lasts longer than the activities' time-outs. */
export const plannedSystemFaults = (draws: Draws, fromMs: number, spanMs: number): PlannedSystemFault[] =>
  Array.from({ length: 2 }, () => ({
    name: draws.pick(Object.keys(SYSTEM_FAULTS) as SystemFaultName[]),
    atMs: fromMs + draws.between(2_000, spanMs),
    forMs: draws.chance(0.2) ? draws.between(30_000, 45_000) : draws.between(500, 8_000),
  })).sort((a, b) => a.atMs - b.atMs);
