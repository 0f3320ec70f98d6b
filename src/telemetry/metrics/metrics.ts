import { Registry } from 'prom-client';
import { activityMetrics, chainMetrics, serverMetrics, codecMetrics } from './process-metrics';
import type { ActivityMetrics, ChainMetrics, ServerMetrics, CodecMetrics } from './process-metrics';
import { bankMetrics, limiterMetrics } from './bank-metrics';
import type { BankMetrics, LimiterMetrics } from './bank-metrics';
import { journalMetrics } from './journal-metrics';
import type { JournalMetrics } from './journal-metrics';
import { transferMetrics, verificationMetrics } from './transfer-metrics';
import type { TransferMetrics, VerificationMetrics } from './transfer-metrics';
import { webhookMetrics } from './webhook-metrics';
import type { WebhookMetrics } from './webhook-metrics';

/**
 * The metrics of one process, in a separate registry that the context passes on, so that two workers in one process
 * (a test, the demo) do not mix their counts. Each part has a file next to this one and a line here; docs/metrics.md
 * lists all of them. Labels are closed sets: no id, no text of the bank.
 */
export interface Metrics {
  readonly registry: Registry;
  readonly transfers: TransferMetrics;
  readonly verifications: VerificationMetrics;
  readonly webhooks: WebhookMetrics;
  readonly limiter: LimiterMetrics;
  readonly bank: BankMetrics;
  readonly servers: ServerMetrics;
  readonly journal: JournalMetrics;
  readonly codec: CodecMetrics;
  readonly activities: ActivityMetrics;
  readonly chain: ChainMetrics;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  return {
    registry,
    transfers: transferMetrics(registry),
    verifications: verificationMetrics(registry),
    webhooks: webhookMetrics(registry),
    limiter: limiterMetrics(registry),
    bank: bankMetrics(registry),
    servers: serverMetrics(registry),
    journal: journalMetrics(registry),
    codec: codecMetrics(registry),
    activities: activityMetrics(registry),
    chain: chainMetrics(registry),
  };
}
