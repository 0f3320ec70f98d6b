import { NOTIFICATION_OUTCOMES } from '../journal/inbox';
import { fromZero } from '../telemetry/metrics/from-zero';
import type { WebhookMetrics } from '../telemetry/metrics/webhook-metrics';
import { DELIVERY_OUTCOMES } from './observer';
import type { WebhookObserver } from './observer';

/** Counts for `/metrics` of the receiver. */
export function observerOf(metrics: WebhookMetrics): WebhookObserver {
  fromZero(metrics.deliveries, 'outcome', DELIVERY_OUTCOMES);
  fromZero(metrics.notifications, 'outcome', NOTIFICATION_OUTCOMES);
  return {
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
  };
}
