import type { NotificationOutcome } from '../journal/inbox';

/** How a delivery was answered. */
export const DELIVERY_OUTCOMES = [
  'stored',
  'duplicate',
  'unknown-path',
  'bad-signature',
  'too-large',
  'too-many',
  'unreadable-request',
  'store-down',
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Told what the receiver does; words and numbers only, nothing of a payload. */
export interface WebhookObserver {
  delivery(outcome: DeliveryOutcome, durationMs: number): void;
  notification(outcome: NotificationOutcome, ageMs: number): void;
  /** Hints that the engine did not take. */
  hintFailed(count: number): void;
  backlog(state: { readonly waiting: number; readonly oldestMs: number }): void;
}
