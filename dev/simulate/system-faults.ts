import type { Draws } from './random';

/** Where the Temporal server keeps its data: in a file of its own, or in a PostgreSQL apart from the journal's. */
export const ENGINE_STORES = ['file', 'postgres'] as const;
export type EngineStore = (typeof ENGINE_STORES)[number];

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
  "engine's PostgreSQL killed": { part: 'engineStore', how: 'killed' },
  "engine's PostgreSQL stands still": { part: 'engineStore', how: 'stopped' },
} as const satisfies Record<
  string,
  | { readonly part: 'engine' | 'journal' | 'engineStore'; readonly how: 'killed' | 'stopped' }
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

/** The faults that a system with this store of the engine can meet. */
export const systemFaultsOf = (store: EngineStore): SystemFaultName[] =>
  (Object.keys(SYSTEM_FAULTS) as SystemFaultName[]).filter(
    (name) => store === 'postgres' || SYSTEM_FAULTS[name].part !== 'engineStore',
  );

/** Two within `spanMs` from `fromMs` on. One in five lasts longer than the activities' time-outs. */
export const plannedSystemFaults = (
  draws: Draws,
  {
    fromMs,
    spanMs,
    store,
  }: { readonly fromMs: number; readonly spanMs: number; readonly store: EngineStore },
): PlannedSystemFault[] =>
  Array.from({ length: 2 }, () => ({
    name: draws.pick(systemFaultsOf(store)),
    atMs: fromMs + draws.between(2_000, spanMs),
    forMs: draws.chance(0.2) ? draws.between(30_000, 45_000) : draws.between(500, 8_000),
  })).sort((a, b) => a.atMs - b.atMs);
