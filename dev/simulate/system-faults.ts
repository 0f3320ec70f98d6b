import type { Draws } from './random';

/** Where the Temporal server keeps its data: in a file, or in a PostgreSQL server other than the journal's. */
export const ENGINE_STORES = ['file', 'postgres'] as const;
export type EngineStore = (typeof ENGINE_STORES)[number];

/** Faults of servers, and of the lines that lead from workers and receiver to the servers. */
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
  /** From the start of the simulation; later if the fault before lasts until then. */
  readonly atMs: number;
  /** How long the fault lasts. */
  readonly forMs: number;
}

/** The faults that are possible if the engine keeps its data in this store. */
export const systemFaultsOf = (store: EngineStore): SystemFaultName[] =>
  (Object.keys(SYSTEM_FAULTS) as SystemFaultName[]).filter(
    (name) => store === 'postgres' || SYSTEM_FAULTS[name].part !== 'engineStore',
  );

/**
 * Mostly short. About one in six is as long as the time-out of an activity, and one in twenty-five takes minutes,
 * beyond every time-out.
 */
const durationMs = (draws: Draws): number => {
  const [min, max] = DURATIONS_MS[draws.weighted({ short: 20, long: 4, minutes: 1 })];
  return draws.between(min, max);
};
const DURATIONS_MS = { short: [500, 8_000], long: [30_000, 45_000], minutes: [90_000, 150_000] } as const;

/** Two faults that begin within `spanMs` from `fromMs` on. */
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
    forMs: durationMs(draws),
  })).sort((a, b) => a.atMs - b.atMs);
