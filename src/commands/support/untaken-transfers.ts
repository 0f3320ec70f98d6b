import { engineError } from '../../client/engine-errors';
import type { GiroClient } from '../../client/giro-client';
import { transferWorkflowId } from '../../domain/order';
import type { Engine } from '../../engine/connect';
import { inParallel } from '../../activities/in-parallel';
import { liveViews } from './live-views';
import { reportWithoutRecord, unseenView } from './transfer-report';
import type { TransferReport } from './transfer-report';
import type { Journal } from '../../journal/journal';

const READS_AT_ONCE = 20;

/**
 * Started transfers that no worker has taken up: open runs of this task queue without a status in the engine's index,
 * and without a row in the journal. Newest first, at most `limit`; the index lags a second or so behind.
 *
 * @throws ServerUnreachableError
 */
export async function untakenTransfers(
  { client, config }: Engine,
  journal: Pick<Journal, 'transfer'>,
  giro: GiroClient,
  limit: number,
): Promise<readonly TransferReport[]> {
  const startedAt = new Map<number, Date>();
  const query =
    "WorkflowType = 'transfer' AND ExecutionStatus = 'Running' AND GiroStatus IS NULL " +
    `AND TaskQueue = ${JSON.stringify(config.taskQueue)}`;
  try {
    for await (const { workflowId, startTime } of client.workflow.list({ query, pageSize: limit })) {
      const originId = Number(/^transfer-([1-9]\d{0,15})$/.exec(workflowId)?.[1] ?? NaN);
      if (transferWorkflowId(originId) === workflowId) startedAt.set(originId, startTime);
      if (startedAt.size >= limit) break;
    }
  } catch (error) {
    throw engineError(error, null, `Temporal at ${config.address}`);
  }
  await inParallel([...startedAt.keys()], READS_AT_ONCE, async (originId) => {
    if ((await journal.transfer(originId)) !== null) startedAt.delete(originId);
  });
  const views = await liveViews(giro, [...startedAt.keys()]);
  return [...startedAt].map(([originId, startTime]) => {
    const view = views.get(originId) ?? null;
    return reportWithoutRecord(view ?? unseenView(originId, null), startTime.toISOString(), view !== null);
  });
}
