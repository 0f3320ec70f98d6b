/** More workflows than a worker has open at a time. */
const REMEMBERED_MAX = 10_000;

/**
 * How long a step waited between the start of its workflow task, by the engine's clock, and the moment when this worker
 * was given it, by the worker's. Workers' clocks may be minutes off: so their difference counts only beside the least
 * that this worker has seen for the same workflow, which is the part by which the clocks differ.
 */
export class TaskDelays {
  readonly #leastAheadMs = new Map<string, number>();

  /** In ms; null for the first step of a workflow that this worker is given. */
  of(workflowId: string, engineMs: number, givenMs: number): number | null {
    const aheadMs = givenMs - engineMs;
    const leastMs = this.#leastAheadMs.get(workflowId);
    this.#leastAheadMs.delete(workflowId);
    this.#leastAheadMs.set(workflowId, Math.min(aheadMs, leastMs ?? aheadMs));
    const [oldest] = this.#leastAheadMs.keys();
    if (this.#leastAheadMs.size > REMEMBERED_MAX && oldest !== undefined) this.#leastAheadMs.delete(oldest);
    return leastMs === undefined ? null : Math.max(0, aheadMs - leastMs);
  }
}
