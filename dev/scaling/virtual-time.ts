import { install } from '@sinonjs/fake-timers';

const MINUTE_MS = 60_000;

/**
 * Replaces `Date`, `performance` and the timers of this process, from 0 ms on, until `end`. Time jumps from one due
 * timer to the next, as fast as the processor allows.
 */
export class VirtualTime {
  // The real `setImmediate` lets promises settle between two timers.
  private readonly turn = setImmediate;
  private readonly clock = install({
    now: 0,
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'],
  });

  nowMs(): number {
    return this.clock.now;
  }

  /** Resolves at that time, or at once if the time has passed. */
  until(atMs: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, Math.max(0, atMs - this.clock.now)));
  }

  /**
   * Lets time pass until no timer is left. Calls `minute` after each minute, and after the last one, which may be
   * shorter.
   */
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
