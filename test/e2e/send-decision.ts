import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';

const STEP_RUNS = /send it again/;
const REPEAT_AFTER_MS = 200;

/**
 * Sends `decision` without a client of Giro, as anybody with write access to the namespace can. Repeats it while the
 * run executes a step, as the refusal asks.
 */
export async function sendDecision(
  handle: WorkflowHandle,
  decision: object,
  updateId: string = randomUUID(),
): Promise<unknown> {
  for (;;) {
    try {
      return await handle.executeUpdate('decide', { args: [decision], updateId });
    } catch (error) {
      if (!STEP_RUNS.test(String((error as { readonly cause?: Error }).cause?.message))) throw error;
      await sleep(REPEAT_AFTER_MS);
    }
  }
}
