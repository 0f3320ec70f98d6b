import type { Scope } from '../dev/scope';
import type { ContestantName } from './throughput/contestants';
import type { EngineStore } from './throughput/servers';

export interface BenchOptions {
  /** Duration of an outage. */
  readonly outageMs: number;
  /** Number of times that a worker is killed. */
  readonly kills: number;
  /** Number of transfers in the largest books. */
  readonly finals: number;
  /** Number of open transfers in DELAYED. */
  readonly open: number;
  /** Number of lines in the longest statement. */
  readonly statementLines: number;
  /** Number of transfers in the larger journal. */
  readonly transfers: number;
  readonly throughput: ThroughputOptions;
  readonly say: (line: string) => void;
}

export interface ThroughputOptions {
  /** Number of transfers in each round of each contestant. */
  readonly transfers: number;
  /** Number of transfers that are open at a time. */
  readonly concurrency: number;
  readonly rounds: number;
  /** Where Temporal keeps its data. */
  readonly engineStore: EngineStore;
  readonly contestants: readonly ContestantName[];
  /** Leaves out histories and kills. */
  readonly roundsOnly: boolean;
  /** Writes the report to `bench/results`. */
  readonly write: boolean;
  /** Options of Node.js for each worker of a round, such as `--cpu-prof`. */
  readonly nodeOptions: readonly string[];
}

/** A round in which every transfer fails would fill the report. */
export const FAILURES_TOLD = 10;

/** Measures on servers that it starts; they end with the scope. */
export type Bench = (scope: Scope, options: BenchOptions) => Promise<BenchReport>;

export interface BenchReport {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** One sentence for each failure. */
  readonly failures: readonly string[];
}
