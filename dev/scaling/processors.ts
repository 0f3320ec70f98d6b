import type { VirtualTime } from './virtual-time';

/** Processors that take up work in the order in which it comes, each one piece after the other. */
export class Processors {
  private readonly freeAtMs: number[];
  private busyMs = 0;

  constructor(
    count: number,
    private readonly time: VirtualTime,
  ) {
    this.freeAtMs = Array<number>(count).fill(0);
  }

  /** Waits for a free one, then for `ms` of its time; returns how long it waited for one, in ms. */
  async use(ms: number): Promise<number> {
    const nowMs = this.time.nowMs();
    const first = this.freeAtMs.indexOf(Math.min(...this.freeAtMs));
    const startsAtMs = Math.max(nowMs, this.freeAtMs[first] ?? 0);
    this.freeAtMs[first] = startsAtMs + ms;
    this.busyMs += ms;
    await this.time.until(startsAtMs + ms);
    return startsAtMs - nowMs;
  }

  /** ms of processor time used so far. */
  usedMs(): number {
    return this.busyMs;
  }
}
