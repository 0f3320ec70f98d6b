/** A least delay is kept for so long at least, and twice as long at most, while there are newer ones. */
const KEPT_MS = 3_600_000;

/**
 * How long a step waited between the start of its workflow task, by the engine's clock, and the moment when this worker
 * was given it. The two clocks may be minutes apart: their difference is the least that this process has seen of late,
 * and what a step waited comes on top of that. Where the engine's own clocks differ, a delay is told too long, which
 * makes a poll later; never too short.
 */
export class TaskDelays {
  #least: number | null = null;
  #latest: { readonly sinceMs: number; readonly least: number } | null = null;

  constructor(private readonly nowMs: () => number = steadyNowMs) {}

  /** `givenAgoMs`: since it was given the step. In ms; null for the first step of this process: nothing to compare with. */
  of(engineMs: number, givenAgoMs: number): number | null {
    const steadyMs = this.nowMs();
    const aheadMs = steadyMs - givenAgoMs - engineMs;
    const known = this.#least;
    this.#note(aheadMs, steadyMs);
    return known === null ? null : Math.max(0, aheadMs - Math.min(known, aheadMs));
  }

  #note(aheadMs: number, steadyMs: number): void {
    const latest = this.#latest;
    if (latest === null || steadyMs - latest.sinceMs > KEPT_MS) {
      // Clocks drift apart: what was seen before the hour before no longer counts.
      this.#least = Math.min(aheadMs, latest?.least ?? aheadMs);
      this.#latest = { sinceMs: steadyMs, least: aheadMs };
      return;
    }
    this.#least = Math.min(this.#least ?? aheadMs, aheadMs);
    this.#latest = { ...latest, least: Math.min(latest.least, aheadMs) };
  }
}

/**
 * A clock that nobody sets. It stands still while the machine is suspended: then steps look less delayed than before,
 * which the least delay follows at once.
 */
const steadyNowMs = (): number => performance.timeOrigin + performance.now();
