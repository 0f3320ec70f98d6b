import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { GRPC, grpcCode, isNoWorker } from './engine-errors';

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
        const isRepeated = isFailedQuery(error) && tries < TRIES;
        if (!isRepeated || Date.now() + afterMs >= deadlineMs) throw error;
        await sleep(afterMs);
      }
    }
  });
}

/** The SDK throws this error for every query that failed on a worker. */
const isFailedQuery = (error: unknown): boolean => error instanceof QueryNotRegisteredError;

/**
 * Whether `askRun` got no answer because no worker could give one: none took the query up in time, or each try failed
 * on a worker.
 */
export function isNotAnswered(error: unknown): boolean {
  const code = grpcCode(error);
  // Temporal refuses at once when no worker has been seen for minutes; otherwise it waits for one.
  const isWaitOver = code === GRPC.DEADLINE_EXCEEDED || code === GRPC.CANCELLED;
  return isWaitOver || isNoWorker(error) || isFailedQuery(error);
}
