import type { VirtualTime } from './virtual-time';

/** Processors that do work in the order of its arrival, each one piece at a time. */
export class Processors {
  private readonly freeAtMs: number[];
  private busyMs = 0;

  constructor(
    count: number,
    private readonly time: VirtualTime,
  ) {
    this.freeAtMs = Array<number>(count).fill(0);
  }

  /** Waits for a free processor, and uses it for `ms`. Returns the wait for the processor, in ms. */
  async use(ms: number): Promise<number> {
    const nowMs = this.time.nowMs();
    const first = this.freeAtMs.indexOf(Math.min(...this.freeAtMs));
    const startsAtMs = Math.max(nowMs, this.freeAtMs[first] ?? 0);
    this.freeAtMs[first] = startsAtMs + ms;
    this.busyMs += ms;
    await this.time.until(startsAtMs + ms);
    return startsAtMs - nowMs;
  }

  /** Processor time used so far, in ms. */
  usedMs(): number {
    return this.busyMs;
  }
}
