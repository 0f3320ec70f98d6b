import type { ProvenOrder } from '../domain/order';

/** `open`: a run drives it; `ended`: its run completed; `lost`: terminated, timed out, failed, deleted or forgotten. */
export type RunState = 'open' | 'ended' | 'lost';

/** What a call of the engine failed with. */
export interface EngineErrors {
  /** The engine itself cannot be asked now, whatever the question. */
  isAway(error: unknown): boolean;
}

/** The engine's runs of transfers, by id: an index of the engine may lag behind, or miss an orphan. */
export interface TransferRuns extends EngineErrors {
  look(originId: number): Promise<RunState>;
  /**
   * Starts a run unless one is open. `afterEnd`: also after one that completed.
   *
   * @returns false when another start was first
   * @throws RunRefused the engine takes no such run
   */
  start(order: ProvenOrder, options: { readonly afterEnd: boolean }): Promise<boolean>;
}

/** The engine answered, and its answer was no. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}
