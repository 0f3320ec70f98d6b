import { setTimeout } from 'node:timers/promises';
import { NoWorkerAnswerError } from '../../src/client';

/** Ends a repetition that would never end; far longer than a busy machine needs. */
const HANG_MS = 300_000;
/** Temporal refuses at once when no worker has been seen for minutes. */
const PAUSE_MS = 50;

/**
 * Asks again as long as no worker has answered: on a busy machine an answer may take longer than one call waits for it.
 * Any other error is the caller's.
 */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const deadlineMs = Date.now() + HANG_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NoWorkerAnswerError) || Date.now() > deadlineMs) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
