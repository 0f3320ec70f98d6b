import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';

const TRIES = 5;
const PAUSE_MS = 200;

/**
 * Asks a run, and asks again when it fails the query: between the firing of a timer and the next task a run that the
 * worker rebuilds for a query may have to (`RunClock`).
 */
export async function askRun<T>(query: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await query();
    } catch (error) {
      // So the SDK names every query that failed.
      if (!(error instanceof QueryNotRegisteredError) || tries === TRIES) throw error;
      await sleep(PAUSE_MS * tries);
    }
  }
}
