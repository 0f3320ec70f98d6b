/** A client's subscription to one event type. */
export interface Subscription {
  readonly eventType: string;
  /** Where notifications go. */
  readonly endpoint: string;
  readonly info: string;
  /** Key that signs deliveries, see `signature`; null: not signed. */
  readonly secretKey: string | null;
  readonly signature: 'standard' | 'hmac';
}

/** At most one subscription for each event type. */
export class Subscriptions {
  private readonly byType = new Map<string, Subscription>();

  list(): readonly Subscription[] {
    return [...this.byType.values()];
  }

  of(eventType: string): Subscription | null {
    return this.byType.get(eventType) ?? null;
  }

  replaceAll(subscriptions: readonly Subscription[]): void {
    this.byType.clear();
    for (const subscription of subscriptions) this.byType.set(subscription.eventType, subscription);
  }

  /** False: no such subscription. */
  remove(eventType: string): boolean {
    return this.byType.delete(eventType);
  }
}
