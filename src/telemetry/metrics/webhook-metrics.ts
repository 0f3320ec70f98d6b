import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export interface WebhookMetrics {
  readonly deliveries: Counter<'outcome'>;
  readonly deliverySeconds: Histogram;
  readonly notifications: Counter<'outcome'>;
  readonly notificationSeconds: Histogram;
  readonly debits: Counter<'outcome'>;
  readonly hintFailures: Counter;
  readonly waiting: Gauge;
  readonly oldestSeconds: Gauge;
  readonly checks: Counter<'outcome'>;
}

const ANSWER_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Buckets up to the length of an outage of Temporal. */
const AGE_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300, 1_800, 7_200];

/** The deliveries to the receiver and their outcomes. */
export function webhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: 'giro_webhook_deliveries_total',
      help: 'Deliveries answered: stored, duplicate, unknown-path, bad-signature, too-large, too-many, unreadable-request, store-down, inbox-full',
      labelNames: ['outcome'],
      registers,
    }),
    deliverySeconds: new Histogram({
      name: 'giro_webhook_delivery_seconds',
      help: 'From the headers of a delivery to its answer',
      buckets: ANSWER_BUCKETS_S,
      registers,
    }),
    notifications: new Counter({
      name: 'giro_webhook_notifications_total',
      help: 'Processed notifications: hinted, merged, ended, orphan, not-ours, unreadable, set-aside',
      labelNames: ['outcome'],
      registers,
    }),
    notificationSeconds: new Histogram({
      name: 'giro_webhook_notification_seconds',
      help: 'From the arrival of a notification to the end of its processing',
      buckets: AGE_BUCKETS_S,
      registers,
    }),
    debits: new Counter({
      name: 'giro_unordered_debits_total',
      help: 'Notified debits without a transfer, after the bank was asked: confirmed, unknown, other, explained',
      labelNames: ['outcome'],
      registers,
    }),
    hintFailures: new Counter({
      name: 'giro_webhook_hint_failures_total',
      help: 'Hints that Temporal did not accept; each is retried',
      registers,
    }),
    waiting: new Gauge({
      name: 'giro_webhook_waiting',
      help: 'Stored notifications that are not processed yet, counted each minute; none: they could not be counted',
      registers,
    }),
    oldestSeconds: new Gauge({
      name: 'giro_webhook_oldest_waiting_seconds',
      help: 'Age of the oldest notification that is not processed yet, 0 when there is none',
      registers,
    }),
    checks: new Counter({
      name: 'giro_webhook_checks_total',
      help: 'Checks of the subscriptions at the bank, by end: as-expected, findings, no-answer, nothing-expected',
      labelNames: ['outcome'],
      registers,
    }),
  };
}
