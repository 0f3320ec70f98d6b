import type { RequestError } from '../../domain/transfer/answers';

/**
 * The bank's two published services about subscriptions; every outcome is a value. The service that creates
 * subscriptions is not published. Its client would be `subscribe` here, in `webhook-bank.ts` and in the dialect.
 */
export interface WebhookBank {
  listWebhooks(): Promise<WebhooksReply>;
  /**
   * `done`: the bank confirmed the removal. After `no-answer`, the subscription may or may not be removed: list again.
   */
  unsubscribe(eventType: string): Promise<UnsubscribeReply>;
}

export interface WebhookSubscription {
  /** Contains the secret of the path: for operators only, never for a log. */
  readonly endpoint: string;
  readonly eventType: string;
  readonly info: string | null;
}

export type WebhooksReply =
  | { readonly kind: 'subscriptions'; readonly subscriptions: readonly WebhookSubscription[] }
  | { readonly kind: 'no-answer'; readonly error: RequestError };

export type UnsubscribeReply =
  { readonly kind: 'done' } | { readonly kind: 'no-answer'; readonly error: RequestError };
