/** More workflows than a worker has open at a time. */
const REMEMBERED_MAX = 10_000;

/**
 * How long a step waited between the start of its workflow task, by the engine's clock, and the moment when this worker
 * was given it, by a clock of the worker. The two may be minutes apart: their difference is the least that this process
 * has seen for the same workflow (under a server that skips time each workflow has a clock of its own), and what a step
 * waited counts on top of that.
 */
export class TaskDelays {
  readonly #leastAheadMs = new Map<string, number>();

  constructor(private readonly nowMs: () => number = steadyNowMs) {}

  /** `givenAgoMs`: since it was given the step. In ms; null for the first step of a workflow: nothing to compare with. */
  of(workflowId: string, engineMs: number, givenAgoMs: number): number | null {
    const aheadMs = this.nowMs() - givenAgoMs - engineMs;
    const leastMs = this.#leastAheadMs.get(workflowId);
    this.#leastAheadMs.delete(workflowId);
    this.#leastAheadMs.set(workflowId, Math.min(aheadMs, leastMs ?? aheadMs));
    const [oldest] = this.#leastAheadMs.keys();
    if (this.#leastAheadMs.size > REMEMBERED_MAX && oldest !== undefined) this.#leastAheadMs.delete(oldest);
    return leastMs === undefined ? null : Math.max(0, aheadMs - leastMs);
  }
}

/**
 * A clock that nobody sets. It stands still while the machine is suspended: then steps look less delayed than before,
 * which the least delay follows at once.
 */
const steadyNowMs = (): number => performance.timeOrigin + performance.now();
