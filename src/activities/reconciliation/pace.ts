/** Evenly spaced turns of one worker, whichever run they are for. */
export class Pace {
  private nextMs = 0;

  /** `perSecond` 0: no limit. */
  constructor(private readonly perSecond: number) {}

  /** How long to wait for the turn that the caller has now taken, in ms. */
  take(nowMs: number): number {
    if (this.perSecond === 0) return 0;
    const turnMs = Math.max(nowMs, this.nextMs);
    this.nextMs = turnMs + 1_000 / this.perSecond;
    return turnMs - nowMs;
  }
}
