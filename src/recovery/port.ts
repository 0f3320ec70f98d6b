import type { ProvenOrder } from '../domain/order';

/**
 * `busy`: its run has a task or an activity; `waiting`: its run has neither, and waits for a timer or a message;
 * `ended`: its run completed; `lost`: terminated, timed out, failed, deleted or forgotten.
 */
export type RunState = 'busy' | 'waiting' | 'ended' | 'lost';

/** Why a call of Temporal failed. */
export interface EngineErrors {
  /** Temporal cannot be reached now, so any call would fail. */
  isAway(error: unknown): boolean;
}

/** Temporal's runs of transfers, by id, because its index may lag behind or miss a run. */
export interface TransferRuns extends EngineErrors {
  observe(originId: number): Promise<RunState>;
  /**
   * Starts a run unless one is open. `afterEnd`: also after one that completed.
   * @returns false if somebody else started the run first
   * @throws RunRefused the engine does not accept such a run
   */
  start(order: ProvenOrder, options: { readonly afterEnd: boolean }): Promise<boolean>;
  /**
   * Resets the open run to its last completed workflow task if its history shows nothing that will continue it: a new
   * run repeats that task, with the messages that have come since.
   *
   * @returns whether nothing will continue the run; a dry run only looks
   */
  resetStranded(originId: number, options: { readonly dryRun: boolean }): Promise<boolean>;
}

/** Temporal answered, and refused. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}
