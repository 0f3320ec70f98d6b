import type { WebhookCheckReport } from '../../activities/check-webhooks';
import { clock, errorWord } from '../markdown';

/** A check's current details in the Temporal UI, in Markdown. `report` null: it is at work; `since`: ISO UTC. */
export function webhookCheckDetails(report: WebhookCheckReport | null, since: string): string {
  if (report === null) {
    return [
      '**checking**',
      '',
      "- **waits for** the bank's list of our subscriptions",
      `- **since** ${clock(since)}`,
      '- **next** they are compared with `WEBHOOKS_EXPECTED`',
      '',
      'Nothing has to be done.',
    ].join('\n');
  }
  return [`**${report.outcome}**`, '', ...told(report)].join('\n');
}

function told(report: WebhookCheckReport): string[] {
  switch (report.outcome) {
    case 'as-expected':
      return ['Nothing has to be done.'];
    case 'nothing-expected':
      return ['`WEBHOOKS_EXPECTED` is empty in this worker: nothing was asked.'];
    case 'no-answer':
      return [
        `- the bank gave no readable answer: \`${errorWord(report)}\``,
        '',
        'Nothing has to be done: the schedule asks again.',
      ];
    case 'findings':
      return [
        ...report.findings.map(({ eventType, standing }) => `- \`${eventType}\`: ${standing}`),
        '',
        'Look: `giro webhook list`, then settle it with the bank.',
      ];
  }
}
