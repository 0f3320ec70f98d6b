import { DEBIT_OUTCOMES } from './confirm-debits';
import type { DebitOutcome } from './confirm-debits';
import type { NotificationOutcome } from '../journal/statements/notifications';
import { NOTIFICATION_OUTCOMES } from '../journal/statements/notifications';
import { fromZero } from '../telemetry/metrics/from-zero';
import type { WebhookMetrics } from '../telemetry/metrics/webhook-metrics';

/** How a delivery was answered. */
const DELIVERY_OUTCOMES = [
  'stored',
  'duplicate',
  'unknown-path',
  'bad-signature',
  'too-large',
  'too-many',
  'unreadable-request',
  'store-down',
  'inbox-full',
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Called with the outcomes of stored notifications; codes and numbers only, nothing of a payload. */
export interface NotificationObserver {
  notification(outcome: NotificationOutcome, ageMs: number): void;
  /** Called for hints that Temporal did not accept. */
  hintFailed(count: number): void;
  /** Null: it could not be counted. */
  backlog(state: { readonly waiting: number; readonly oldestMs: number } | null): void;
}

/** Counts answers for `/metrics` of the receiver. */
export function countDeliveries(
  metrics: Pick<WebhookMetrics, 'deliveries' | 'deliverySeconds'>,
): (outcome: DeliveryOutcome, durationMs: number) => void {
  fromZero(metrics.deliveries, 'outcome', DELIVERY_OUTCOMES);
  return (outcome, durationMs) => {
    metrics.deliveries.inc({ outcome });
    metrics.deliverySeconds.observe(durationMs / 1_000);
  };
}

/** Counts for `/metrics` of a worker. */
export function countNotifications(metrics: WebhookMetrics): NotificationObserver {
  fromZero(metrics.notifications, 'outcome', NOTIFICATION_OUTCOMES);
  return {
    notification: (outcome, ageMs) => {
      metrics.notifications.inc({ outcome });
      metrics.notificationSeconds.observe(ageMs / 1_000);
    },
    hintFailed: (count) => metrics.hintFailures.inc(count),
    backlog: (state) => {
      // Absent, not out of date.
      if (state === null) {
        metrics.waiting.remove();
        metrics.oldestSeconds.remove();
        return;
      }
      metrics.waiting.set(state.waiting);
      metrics.oldestSeconds.set(state.oldestMs / 1_000);
    },
  };
}

/** Counts the outcomes of debits that nobody ordered. */
export function countDebits({ debits }: Pick<WebhookMetrics, 'debits'>): (outcome: DebitOutcome) => void {
  fromZero(debits, 'outcome', DEBIT_OUTCOMES);
  return (outcome) => debits.inc({ outcome });
}
