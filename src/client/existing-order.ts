import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { NO_ORDER_LIMITS } from '../domain/order';
import { orderFingerprint } from '../domain/order-fingerprint';
import { validateOrder } from '../domain/order-validation';

/**
 * Fingerprint of the order with which a run was started, from the first event of its history. Works for open and
 * ended runs, and needs no worker. Null: the argument is not an order.
 */
export async function orderSha256OfRun(
  client: Client,
  run: { readonly workflowId: string; readonly runId: string },
): Promise<string | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: run,
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [order] = await decodeArrayFromPayloads(
    client.options.loadedDataConverter,
    started?.input?.payloads?.slice(0, 1),
  );
  // Other limits may have applied when the order was accepted: compare only its content.
  const validated = validateOrder(order, NO_ORDER_LIMITS);
  return validated.ok ? orderFingerprint(validated.order) : null;
}
