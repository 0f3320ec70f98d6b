import { proxyActivities } from '@temporalio/workflow';
import type { TransferActivities } from '../../src/activities';

/**
 * What an administrator of Temporal can run on another worker: one activity of Giro, on a task queue of Giro's workers.
 * Tests bundle it; it is no part of the product.
 */
export async function scheduled(
  taskQueue: string,
  activity: keyof TransferActivities,
  argument: unknown,
): Promise<unknown> {
  const activities = proxyActivities<Record<string, (argument: unknown, seen: unknown) => Promise<unknown>>>({
    ...{ taskQueue, startToCloseTimeout: '1m', retry: { maximumAttempts: 1 } },
  });
  return activities[activity]?.(argument, {});
}
