import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { DecisionAnswer, DecisionRequest } from '../domain/transfer/decisions/decision';
import { decideUpdate } from '../workflows/messages';
import { isNoExecution, isNotTakenUpNow } from './engine-errors';
import { TransferNotFoundError } from './errors';

const REPEAT_AFTER_MS = 200;
const REPEAT_AFTER_MS_MAX = 2_000;

/**
 * Sends a decision until it is answered, refused, or `timeoutMs` is over; then throws Temporal's last error. Right
 * after a worker has died or a task has timed out, the server rejects updates although the next task may take them
 * up.
 *
 * Each repeat sends the same update id to the same run. A run takes up an id once, and even an ended run returns the
 * outcome. Only if a run ended without the decision is the decision sent to the next run. If repeats went to the newest
 * run, a decision whose answer was lost would be made twice after continue-as-new. The second time could be about a
 * flag or a status that its operator has not seen.
 */
export async function sendDecision(
  client: Client,
  transfer: { readonly originId: number; readonly workflowId: string },
  decision: DecisionRequest,
  timeoutMs: number,
): Promise<DecisionAnswer> {
  const deadlineMs = Date.now() + timeoutMs;
  const updateId = randomUUID();
  let runId: string | null = null;
  let endedRunId: string | null = null;
  const send = async (): Promise<DecisionAnswer> => {
    runId ??= await newestRunId(client, transfer.workflowId);
    if (runId === endedRunId) throw new TransferNotFoundError(transfer.originId, 'no open transfer');
    const run = client.workflow.getHandle(transfer.workflowId, runId);
    return run.executeUpdate(decideUpdate, { args: [decision], updateId });
  };
  return client.withDeadline(deadlineMs, async () => {
    for (let afterMs = REPEAT_AFTER_MS; ; afterMs = Math.min(2 * afterMs, REPEAT_AFTER_MS_MAX)) {
      try {
        return await send();
      } catch (error) {
        if (runId !== null && isNoExecution(error)) {
          endedRunId = runId;
          runId = null;
        } else if (!isNotTakenUpNow(error) || Date.now() + afterMs >= deadlineMs) {
          throw error;
        } else {
          await sleep(afterMs);
        }
      }
    }
  });
}

/** Not the SDK's `describe`: it decodes a memo, which a client without the key ring cannot. */
async function newestRunId(client: Client, workflowId: string): Promise<string> {
  const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution: { workflowId },
  });
  const runId = workflowExecutionInfo?.execution?.runId;
  if (typeof runId !== 'string' || runId === '') throw new Error('the engine described a run without an id');
  return runId;
}
