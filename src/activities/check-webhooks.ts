import type { WebhookBank } from '../bank/webhooks/webhook-port';
import { judgeWebhooks, webhookFindings } from '../domain/webhook-subscriptions';
import type { ExpectedWebhook, WebhookFinding } from '../domain/webhook-subscriptions';
import type { Journal } from '../journal/journal';

export interface WebhookCheckContext {
  readonly bank: Pick<WebhookBank, 'listWebhooks'>;
  readonly journal: Pick<Journal, 'recordWebhookFindings'>;
  /** Empty: nothing is asked, which is told: only a set-up with expectations makes checks run. */
  readonly expected: () => readonly ExpectedWebhook[];
  /** Told of each check; `isNews`: the findings are not those of the check before. */
  readonly onCheck?: (report: WebhookCheckReport, isNews: boolean) => void;
}

/** What a check ended with; no address, which carries the path's secret. */
export type WebhookCheckReport =
  | { readonly outcome: 'nothing-expected' | 'as-expected' }
  | { readonly outcome: 'findings'; readonly findings: readonly WebhookFinding[] }
  | { readonly outcome: 'no-answer'; readonly code: string; readonly httpStatus: number | null };

/** Compares the subscriptions at the bank with `WEBHOOKS_EXPECTED`. Creates none: that service is not published. */
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
    const findings = webhookFindings(judgeWebhooks(reply.subscriptions, wanted));
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
