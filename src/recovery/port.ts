import type { ProvenOrder } from '../domain/order';

/**
 * `open`: a run drives it; `idle`: as `open`, not held, and without a task or an activity, so it waits for a timer or a
 * message; `ended`: its run completed; `lost`: terminated, timed out, failed, deleted or forgotten.
 */
export type RunState = 'open' | 'idle' | 'ended' | 'lost';

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
   * Hints an idle run if its history shows nothing that will continue it (a stranded run).
   *
   * @returns `waits`: a timer will continue it; `hinted`: it was stranded (in a dry run: it is); `stranded`: it is,
   *   although its last task brought a signal
   */
  hintStranded(
    originId: number,
    options: { readonly dryRun: boolean },
  ): Promise<'waits' | 'hinted' | 'stranded'>;
}

/** Temporal answered, and refused. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}
