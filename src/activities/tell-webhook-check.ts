import type { Logger } from '../telemetry/logger';
import { fromZero } from '../telemetry/metrics/from-zero';
import type { Words } from '../telemetry/metrics/from-zero';
import type { WebhookMetrics } from '../telemetry/metrics/webhook-metrics';
import type { WebhookCheckContext, WebhookCheckReport } from './check-webhooks';

const CHECK_ENDS: Words<WebhookCheckReport['outcome']> = {
  ...{ 'as-expected': 0, findings: 0 },
  ...{ 'no-answer': 0, 'nothing-expected': 0 },
};

/** Logs deviations with each check as long as they last, and once when they are gone. */
export function tellWebhookCheck(
  logger: Logger,
  { checks }: Pick<WebhookMetrics, 'checks'>,
): NonNullable<WebhookCheckContext['onCheck']> {
  fromZero(checks, 'outcome', CHECK_ENDS);
  return (report, isNews) => {
    checks.inc({ outcome: report.outcome });
    if (report.outcome === 'findings') {
      logger.warn({ findings: report.findings }, 'subscriptions at the bank are not as expected');
    } else if (report.outcome === 'no-answer') {
      const { code, httpStatus } = report;
      logger.warn(
        { code, httpStatus },
        'subscriptions could not be checked: the bank gave no readable answer',
      );
    } else if (report.outcome === 'nothing-expected') {
      logger.warn(
        'subscriptions are not checked: this worker has no WEBHOOKS_EXPECTED, unlike setup when it made the schedule',
      );
    } else if (isNews) {
      logger.info('subscriptions at the bank are as expected again');
    }
  };
}
