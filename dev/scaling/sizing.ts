import { transferCost } from './transfer-cost';

/**
 * Processor time of one state transition, on the Temporal server, on its PostgreSQL and on the worker: medians of
 * bench/results/postgres.md.
 */
export const SERVER_CPU_MS = 3.2;
export const STORE_CPU_MS = 1.7;
export const WORKER_CPU_MS = 3.3;
/** Processor time of one statement on the journal's PostgreSQL: a median of the same report. */
export const STATEMENT_CPU_MS = 0.8;
/** Planned utilisation of a processor. */
const LOAD = 0.6;
/**
 * State transitions a second. A shard writes one transition after the other; this rate is far below the limit that the
 * database's latency sets.
 */
const TRANSITIONS_PER_SHARD = 10;
const SHARDS_MIN = 512;
/** Planned transactions a second of one PostgreSQL primary: a rule of thumb, not measured here. */
export const POSTGRES_TRANSACTIONS_PER_S = 5_000;
/** `BANK_MAX_RPS` and the cache of a worker (`src/worker/options.ts`). */
const BANK_RPS = 100;
const CACHED_RUNS = 1_500;
/** Two, so that one may fail. */
const WORKERS_MIN = 2;
const DAY_S = 86_400;

export interface Sizing {
  readonly transfersPerS: number;
  readonly transitionsPerS: number;
  readonly bankRequestsPerS: number;
  readonly journalStatementsPerS: number;
  readonly openTransfers: number;
  readonly serverCores: number;
  /** Processors of Temporal's PostgreSQL; null: it is not PostgreSQL. */
  readonly storeCores: number | null;
  /** Processors of the journal's PostgreSQL. */
  readonly journalCores: number;
  readonly workers: number;
  /** Which need determines the number of workers. */
  readonly workersFor: 'processors' | 'calls to the bank' | 'cached runs' | 'one may fail';
  readonly shards: number;
  /** PostgreSQL has only one primary that writes. Each state transition counts as one transaction. */
  readonly temporalStore: 'PostgreSQL' | 'Cassandra';
  /** Number of installations: each journal needs a separate primary. */
  readonly installations: number;
  /** History kept for 30 days, in GB. */
  readonly historyGb: number;
}

/** The sizing for transfers with `polls` look-ups each, `gapS` seconds apart. */
export function sizing(transfersPerS: number, polls: number, gapS: number): Sizing {
  const cost = transferCost(polls);
  const transitionsPerS = transfersPerS * cost.transitions;
  const bankRequestsPerS = transfersPerS * (1 + polls);
  const openTransfers = transfersPerS * polls * gapS;
  // Floating point makes 4.2 / 0.6 a little more than 7, which would need 8 processors.
  const coresFor = (perS: number, cpuMs: number) =>
    Math.ceil(Number(((perS * cpuMs) / 1_000 / LOAD).toFixed(6)));
  const coresAt = (cpuMs: number) => coresFor(transitionsPerS, cpuMs);
  const journalStatementsPerS = transfersPerS * cost.journalStatements;
  const temporalStore = transitionsPerS <= POSTGRES_TRANSACTIONS_PER_S ? 'PostgreSQL' : 'Cassandra';
  const workersBy = {
    processors: coresAt(WORKER_CPU_MS),
    'calls to the bank': Math.ceil(bankRequestsPerS / BANK_RPS),
    'cached runs': Math.ceil(openTransfers / CACHED_RUNS),
    'one may fail': WORKERS_MIN,
  };
  const workers = Math.max(...Object.values(workersBy));
  const reasons = Object.keys(workersBy) as (keyof typeof workersBy)[];
  return {
    transfersPerS,
    transitionsPerS,
    bankRequestsPerS,
    journalStatementsPerS,
    openTransfers,
    journalCores: coresFor(journalStatementsPerS, STATEMENT_CPU_MS),
    serverCores: coresAt(SERVER_CPU_MS),
    storeCores: temporalStore === 'PostgreSQL' ? coresAt(STORE_CPU_MS) : null,
    workers,
    workersFor: reasons.find((reason) => workersBy[reason] === workers) ?? 'one may fail',
    shards: Math.max(SHARDS_MIN, 2 ** Math.ceil(Math.log2(transitionsPerS / TRANSITIONS_PER_SHARD))),
    temporalStore,
    installations: Math.ceil(journalStatementsPerS / POSTGRES_TRANSACTIONS_PER_S),
    historyGb: Math.ceil((transfersPerS * DAY_S * 30 * cost.historyBytes) / 1e9),
  };
}

/** The most transfers a second, with `polls` look-ups each, that one PostgreSQL primary carries. */
export function postgresEnd(polls: number): { readonly temporal: number; readonly journal: number } {
  const { transitions, journalStatements } = transferCost(polls);
  return {
    temporal: Math.floor(POSTGRES_TRANSACTIONS_PER_S / transitions),
    journal: Math.floor(POSTGRES_TRANSACTIONS_PER_S / journalStatements),
  };
}
