import { asyncLocalStorage } from '@temporalio/activity';

/** A quick create sends no heartbeat. The SDK sends Temporal at most one in `HEARTBEAT_THROTTLE_MS`. */
const BEAT_EVERY_MS = 1_000;
export const HEARTBEAT_THROTTLE_MS = 900;

/** Sends Temporal a heartbeat each second while the step runs. Outside of Temporal it sends none. */
export async function whileBeating<T>(step: () => Promise<T>): Promise<T> {
  const context = asyncLocalStorage.getStore();
  if (context === undefined) return step();
  const beating = setInterval(() => context.heartbeat(), BEAT_EVERY_MS);
  // If the step never returns, the timer must not keep the process alive. The timer ends when Temporal gives up the
  // activity.
  beating.unref();
  context.cancellationSignal.addEventListener('abort', () => clearInterval(beating), { once: true });
  try {
    return await step();
  } finally {
    clearInterval(beating);
  }
}
