import { install } from '@sinonjs/fake-timers';

/** The clock of everything in this process, in ms from 0. */
export interface VirtualTime {
  nowMs(): number;
  /** At once when that moment has passed. */
  until(atMs: number): Promise<void>;
}

/**
 * Plays `scene` as fast as the processor can: `Date`, `performance` and timers of this process jump from one moment at
 * which something is due to the next. Ends when nothing is due any more.
 */
export async function inVirtualTime(scene: (time: VirtualTime) => void, minute: () => void): Promise<void> {
  const turn = setImmediate;
  const clock = install({ now: 0, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  const until = (atMs: number): Promise<void> =>
    new Promise((resolve) => void setTimeout(resolve, Math.max(0, atMs - clock.now)));
  try {
    scene({ nowMs: () => clock.now, until });
    for (let minuteAtMs = MINUTE_MS; clock.countTimers() > 0;) {
      clock.next();
      // What is due now may make something else due now.
      await new Promise((resolve) => void turn(resolve));
      for (; clock.now >= minuteAtMs; minuteAtMs += MINUTE_MS) minute();
    }
    // The last one, though it is not over.
    minute();
  } finally {
    clock.uninstall();
  }
}

const MINUTE_MS = 60_000;
