import { elapsedSince } from '../journal/elapsed';

/** More workflows than a worker has open at a time. */
const REMEMBERED_MAX = 10_000;

/**
 * For each workflow, when this process ended the last step after which a gap is kept. `sinceMs` is never too long: its
 * monotonic clock stops while the machine is suspended, so the next request can only be later. `sinceAnyMs` is never
 * too short (`elapsedSince`).
 */
export class StepEnds {
  readonly #ends = new Map<string, StepEnd>();

  constructor(private readonly steadyNowMs: () => number = () => performance.now()) {}

  /** Notes that the step ends now. `atMs`: the end as reported to the run, which identifies the step. */
  add(workflowId: string, atMs: number): void {
    this.#ends.delete(workflowId);
    this.#ends.set(workflowId, { atMs, steadyMs: this.steadyNowMs(), elapsedMs: elapsedSince() });
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > REMEMBERED_MAX && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** How long ago the step ended, in ms, rounded down; null: another process ended the step. */
  sinceMs(workflowId: string, atMs: number): number | null {
    const end = this.#ends.get(workflowId);
    return end?.atMs === atMs ? Math.floor(this.steadyNowMs() - end.steadyMs) : null;
  }

  /**
   * An upper bound, in ms, rounded up, for the time since the workflow's last step before a gap; null: this process
   * remembers none. If another process ended a later step, the true time is shorter.
   */
  sinceAnyMs(workflowId: string): number | null {
    const end = this.#ends.get(workflowId);
    return end === undefined ? null : Math.ceil(end.elapsedMs());
  }
}

interface StepEnd {
  readonly atMs: number;
  readonly steadyMs: number;
  /** The time since the end, never too short (`elapsedSince`). */
  readonly elapsedMs: () => number;
}
