import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { WebhookCheckActivities, WebhookCheckReport } from '../activities/check-webhooks';
import { clock, errorLabel } from './markdown';

/** A missing answer of the bank is a result, not a failure; Temporal retries only when the journal failed to record. */
const { checkWebhooks } = proxyActivities<WebhookCheckActivities>({
  // BANK_TIMEOUT is 7 s at most; the rest is for the journal's statement.
  startToCloseTimeout: '30s',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumAttempts: 4 },
});

/** Checks whether the subscriptions at the bank are those of `WEBHOOKS_EXPECTED`. A schedule starts it. */
export async function webhookCheck(): Promise<WebhookCheckReport> {
  const since = workflowInfo().startTime.toISOString();
  setCurrentDetails(webhookCheckDetails(null, since));
  const report = await checkWebhooks.executeWithOptions({ summary: 'the subscriptions at the bank' }, []);
  setCurrentDetails(webhookCheckDetails(report, since));
  return report;
}

/** A check's current details in the Temporal UI, in Markdown. `report` null: still running; `since`: ISO UTC. */
export function webhookCheckDetails(report: WebhookCheckReport | null, since: string): string {
  if (report === null) {
    return [
      '**checking**',
      '',
      "- **waits for** the bank's list of our subscriptions",
      `- **since** ${clock(since)}`,
      '- **next** compare them with `WEBHOOKS_EXPECTED`',
      '',
      'Nothing has to be done.',
    ].join('\n');
  }
  return [`**${report.outcome}**`, '', ...reportLines(report)].join('\n');
}

function reportLines(report: WebhookCheckReport): string[] {
  switch (report.outcome) {
    case 'as-expected':
      return ['Nothing has to be done.'];
    case 'nothing-expected':
      return ['`WEBHOOKS_EXPECTED` is empty in this worker: nothing was asked.'];
    case 'no-answer':
      return [
        `- the bank gave no readable answer: \`${errorLabel(report)}\``,
        '',
        'Nothing has to be done: the schedule asks again.',
      ];
    case 'findings':
      return [
        ...report.findings.map(({ eventType, standing }) => `- \`${eventType}\`: ${standing}`),
        '',
        'See `giro webhook list`, then ask the bank to correct them.',
      ];
  }
}
