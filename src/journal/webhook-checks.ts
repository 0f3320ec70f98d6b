import type { WebhookFinding } from '../domain/webhook-subscriptions';

/** What checks of the subscriptions found, append-only. */
export interface WebhookChecks {
  /** Writes a line when the findings differ from the last line (none: no findings). Whether it did. */
  recordWebhookFindings(findings: readonly WebhookFinding[]): Promise<boolean>;
}
