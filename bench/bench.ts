import type { Scope } from '../dev/scope';
import type { ContestantName } from './throughput/contestants';

export interface BenchOptions {
  /** How long the bank is away, where it goes away. */
  readonly outageMs: number;
  /** How many times a worker is killed. */
  readonly kills: number;
  /** How many transfers the largest books have, where they grow. */
  readonly finals: number;
  /** How many transfers are open, where they are in DELAYED. */
  readonly open: number;
  /** How many lines the longest statement has, where one is read. */
  readonly statementLines: number;
  /** How many transfers the larger journal holds, where one is filled. */
  readonly transfers: number;
  readonly throughput: ThroughputOptions;
  readonly say: (line: string) => void;
}

export interface ThroughputOptions {
  /** In each round of each contestant. */
  readonly transfers: number;
  /** How many of them are open at a time. */
  readonly concurrency: number;
  readonly rounds: number;
  readonly contestants: readonly ContestantName[];
  /** Neither histories nor kills. */
  readonly roundsOnly: boolean;
  /** The report goes to `bench/results`. */
  readonly write: boolean;
  /** Options of Node for each worker of a round, as `--cpu-prof`. */
  readonly nodeOptions: readonly string[];
}

/** Measures on servers of its own, which go with the scope. */
export type Bench = (scope: Scope, options: BenchOptions) => Promise<BenchReport>;

export interface BenchReport {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** One sentence for each failure. */
  readonly failures: readonly string[];
}
