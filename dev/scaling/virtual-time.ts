import { install } from '@sinonjs/fake-timers';

const MINUTE_MS = 60_000;

/**
 * `Date`, `performance` and timers of this process, from 0 ms on, until `end`: they jump from one moment at which
 * something is due to the next, as fast as the processor can.
 */
export class VirtualTime {
  // What stays real lets promises settle between two timers.
  private readonly turn = setImmediate;
  private readonly clock = install({
    now: 0,
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'],
  });

  nowMs(): number {
    return this.clock.now;
  }

  /** At once when that moment has passed. */
  until(atMs: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, Math.max(0, atMs - this.clock.now)));
  }

  /** Passes until nothing is due any more; `minute` after each minute, the last one too, which may be shorter. */
  async pass(minute: () => void): Promise<void> {
    for (let minuteAtMs = MINUTE_MS; this.clock.countTimers() > 0;) {
      this.clock.next();
      await new Promise((resolve) => void this.turn(resolve));
      for (; this.clock.now >= minuteAtMs; minuteAtMs += MINUTE_MS) minute();
    }
    minute();
  }

  end(): void {
    this.clock.uninstall();
  }
}
