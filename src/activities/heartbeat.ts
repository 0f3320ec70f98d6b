import { asyncLocalStorage } from '@temporalio/activity';

/** A quick create sends none. The SDK hands the engine what comes in `HEARTBEAT_THROTTLE_MS` as one. */
const BEAT_EVERY_MS = 1_000;
export const HEARTBEAT_THROTTLE_MS = 900;

/** Tells the engine each second that the worker of this activity lives. Outside of the engine nothing is told. */
export async function whileBeating<T>(step: () => Promise<T>): Promise<T> {
  const context = asyncLocalStorage.getStore();
  if (context === undefined) return step();
  const beating = setInterval(() => context.heartbeat(), BEAT_EVERY_MS);
  // A step that never comes back keeps no process alive; one that the engine has given up has nobody to tell.
  beating.unref();
  context.cancellationSignal.addEventListener('abort', () => clearInterval(beating), { once: true });
  try {
    return await step();
  } finally {
    clearInterval(beating);
  }
}
