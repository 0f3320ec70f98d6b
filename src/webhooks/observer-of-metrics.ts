import type { WebhookMetrics } from '../telemetry/metrics/webhook-metrics';
import type { WebhookObserver } from './observer';

export const observerOf = (metrics: WebhookMetrics): WebhookObserver => ({
  delivery: (outcome, durationMs) => {
    metrics.deliveries.inc({ outcome });
    metrics.deliverySeconds.observe(durationMs / 1_000);
  },
  notification: (outcome, ageMs) => {
    metrics.notifications.inc({ outcome });
    metrics.notificationSeconds.observe(ageMs / 1_000);
  },
  hintFailed: (count) => metrics.hintFailures.inc(count),
  backlog: ({ waiting, oldestMs }) => {
    metrics.waiting.set(waiting);
    metrics.oldestSeconds.set(oldestMs / 1_000);
  },
});
