import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { WebhookCheckActivities, WebhookCheckReport } from '../activities/check-webhooks';
import { webhookCheckDetails } from './webhook-check/details';

/** An answer that did not come is a result; tried again is only what the journal could not take. */
const { checkWebhooks } = proxyActivities<WebhookCheckActivities>({
  // BANK_TIMEOUT is 7 s at most; the rest is the journal's statement.
  startToCloseTimeout: '30s',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumAttempts: 4 },
});

/** Whether the subscriptions at the bank are those of `WEBHOOKS_EXPECTED`. The schedule starts it again and again. */
export async function webhookCheck(): Promise<WebhookCheckReport> {
  const since = workflowInfo().startTime.toISOString();
  setCurrentDetails(webhookCheckDetails(null, since));
  const report = await checkWebhooks.executeWithOptions({ summary: 'the subscriptions at the bank' }, []);
  setCurrentDetails(webhookCheckDetails(report, since));
  return report;
}
