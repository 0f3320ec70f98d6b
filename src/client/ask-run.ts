import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';

const TRIES = 5;
const PAUSE_MS = 200;

/**
 * Sends a query, and repeats it when it fails: a run cannot answer between the firing of a timer and its next task if
 * its worker has to rebuild it (`RunClock`). Throws the last error after `TRIES`, and any other error at once.
 */
export async function askRun<T>(query: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await query();
    } catch (error) {
      // The SDK throws this error for every query that failed.
      if (!(error instanceof QueryNotRegisteredError) || tries === TRIES) throw error;
      await sleep(PAUSE_MS * tries);
    }
  }
}
