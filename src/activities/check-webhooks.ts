import type { WebhookBank } from '../bank/webhooks/webhook-port';
import { judgeWebhooks, webhookDeviations } from '../domain/webhook-subscriptions';
import type { ExpectedWebhook, WebhookDeviation } from '../domain/webhook-subscriptions';
import type { Journal } from '../journal/journal';

export interface WebhookCheckContext {
  readonly bank: Pick<WebhookBank, 'listWebhooks'>;
  readonly journal: Pick<Journal, 'recordWebhookFindings'>;
  /** Empty: the bank is not asked, and the report says so. The schedule exists only if `setup` had expectations. */
  readonly expected: () => readonly ExpectedWebhook[];
  /** Called after each check; `isNews`: the result differs from that of the previous check. */
  readonly onCheck?: (report: WebhookCheckReport, isNews: boolean) => void;
}

/** The result of a check; without addresses, because they contain the path's secret. */
export type WebhookCheckReport =
  | { readonly outcome: 'nothing-expected' | 'as-expected' }
  | { readonly outcome: 'findings'; readonly findings: readonly WebhookDeviation[] }
  | { readonly outcome: 'no-answer'; readonly code: string; readonly httpStatus: number | null };

/**
 * Compares the subscriptions at the bank with `WEBHOOKS_EXPECTED`. Creates none, because the bank does not publish that
 * service.
 */
export function checkWebhooks({ bank, journal, expected, onCheck }: WebhookCheckContext) {
  return async (): Promise<WebhookCheckReport> => {
    const wanted = expected();
    if (wanted.length === 0) {
      const report = { outcome: 'nothing-expected' } as const;
      onCheck?.(report, false);
      return report;
    }
    const reply = await bank.listWebhooks();
    if (reply.kind === 'no-answer') {
      const { code, httpStatus } = reply.error;
      const report = { outcome: 'no-answer', code, httpStatus } as const;
      onCheck?.(report, false);
      return report;
    }
    const findings = webhookDeviations(judgeWebhooks(reply.subscriptions, wanted));
    const isNews = await journal.recordWebhookFindings(findings);
    const report: WebhookCheckReport =
      findings.length === 0 ? { outcome: 'as-expected' } : { outcome: 'findings', findings };
    onCheck?.(report, isNews);
    return report;
  };
}

export const webhookCheckActivities = (context: WebhookCheckContext) => ({
  checkWebhooks: checkWebhooks(context),
});

export type WebhookCheckActivities = ReturnType<typeof webhookCheckActivities>;
