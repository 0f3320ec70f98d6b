import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import type { Client } from '@temporalio/client';

const TRIES = 5;
const PAUSE_MS = 200;

/**
 * Sends a query, and repeats the query while the run cannot answer it. A worker that has to rebuild the run cannot
 * answer while the history has news that no workflow task has handled (`src/workflows/only-in-tasks.ts`). Throws the
 * query's last error after `TRIES`, or when the next try would start after `timeoutMs`. Throws any error that is not a
 * failed query at once.
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
