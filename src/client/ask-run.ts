import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import type { Client } from '@temporalio/client';

const TRIES = 5;
const PAUSE_MS = 200;

/**
 * Sends a query, and repeats it when it fails: a run that its worker has to rebuild cannot answer while its history has
 * news that no task has handled (`src/workflows/only-in-tasks.ts`). Throws the last error after `TRIES`, or when the next try would come later
 * than `timeoutMs` allows. Throws any other error at once.
 */
export function askRun<T>(
  client: Pick<Client, 'withDeadline'>,
  timeoutMs: number,
  query: () => Promise<T>,
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  return client.withDeadline(deadlineMs, async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await query();
      } catch (error) {
        const afterMs = PAUSE_MS * tries;
        // The SDK throws this error for every query that failed.
        const isRepeated = error instanceof QueryNotRegisteredError && tries < TRIES;
        if (!isRepeated || Date.now() + afterMs >= deadlineMs) throw error;
        await sleep(afterMs);
      }
    }
  });
}
