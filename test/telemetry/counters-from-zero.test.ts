import type { Counter } from 'prom-client';
import { tellWebhookCheck } from '../../src/activities/tell-webhook-check';
import { watchTransfers } from '../../src/activities/watch-transfers';
import { watchVerifications } from '../../src/activities/watch-verifications';
import { watchLimiter } from '../../src/context/watch-limiter';
import { createLogger } from '../../src/telemetry/logger';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { countFailures } from '../../src/worker/count-failures';
import { countDebits, countDeliveries, countNotifications } from '../../src/webhooks/observer';

const logger = createLogger({ level: 'fatal', destination: { write: () => undefined } });

/** As worker and receiver wire them, before anything has happened. */
function started() {
  const metrics = createMetrics();
  watchLimiter(logger, metrics.limiter);
  watchTransfers(logger, metrics.transfers);
  watchVerifications(logger, metrics.verifications);
  tellWebhookCheck(logger, metrics.webhooks);
  countDeliveries(metrics.webhooks);
  countNotifications(metrics.webhooks);
  countDebits(metrics.webhooks);
  countFailures(metrics.activities).showAll({ createTransfer: null });
  return metrics;
}

test('every counter and histogram has its series before the first event, at zero', async () => {
  for (const metric of await started().registry.getMetricsAsJSON()) {
    // Of keys it is known with the ring (test/context.test.ts).
    if (metric.type.toString() === 'gauge' || metric.name === 'giro_payloads_sealed_total') continue;
    expect({ name: metric.name, series: metric.values.length }).not.toEqual({ name: metric.name, series: 0 });
    for (const { value, labels } of metric.values) expect({ labels, value }).toEqual({ labels, value: 0 });
  }
});

test('the labels that alerts use are among them', async () => {
  const text = await started().registry.metrics();
  for (const line of [
    'giro_webhook_notifications_total{outcome="orphan"} 0',
    'giro_unordered_debits_total{outcome="confirmed"} 0',
    'giro_webhook_deliveries_total{outcome="store-down"} 0',
    'giro_webhook_deliveries_total{outcome="bad-signature"} 0',
    'giro_webhook_checks_total{outcome="findings"} 0',
    'giro_transfers_ended_total{status="FAILED"} 0',
    'giro_creates_total{outcome="unknown"} 0',
    'giro_bank_request_errors_total{request="create",code="TIMEOUT"} 0',
    'giro_bank_request_seconds_count{request="get-movement"} 0',
    'giro_limiter_deferrals_total{priority="create",reason="rate"} 0',
    'giro_bank_token_failures_total 0',
    'giro_activity_failures_total{activity="createTransfer",repeated="yes"} 0',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

test('the help names each label value that is shown', async () => {
  const { transfers, verifications, webhooks } = started();
  const counters: readonly Counter[] = [
    ...[transfers.creates, transfers.lookups, verifications.questions, verifications.ended],
    ...[webhooks.deliveries, webhooks.notifications, webhooks.checks],
  ];
  for (const counter of counters) {
    const { help, values } = await counter.get();
    const words = values.map(({ labels }) => String(labels['outcome']));
    expect(words.filter((word) => !help.includes(word))).toEqual([]);
  }
});
