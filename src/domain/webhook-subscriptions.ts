/** A subscription that should be there (`WEBHOOKS_EXPECTED`). */
export interface ExpectedWebhook {
  readonly eventType: string;
  /** Full addresses, any of which is ours: while the path's secret is changed there are two. */
  readonly endpoints: readonly string[];
}

/** `foreign`: it points at an address that is not ours; `unexpected`: nobody listed it. */
export type WebhookStanding = 'expected' | 'foreign' | 'unexpected';

export interface WebhookComparison {
  readonly subscriptions: readonly {
    readonly eventType: string;
    readonly endpoint: string;
    /** Null: nothing is expected at all. */
    readonly standing: WebhookStanding | null;
  }[];
  /** Event types that should be subscribed and are not. */
  readonly missing: readonly string[];
}

/** Compares what the bank lists with what should be there; addresses are compared exactly. */
export function compareWebhooks(
  listed: readonly { readonly eventType: string; readonly endpoint: string }[],
  expected: readonly ExpectedWebhook[],
): WebhookComparison {
  const standingOf = (eventType: string, endpoint: string): WebhookStanding | null => {
    if (expected.length === 0) return null;
    const wanted = expected.find((it) => it.eventType === eventType);
    if (wanted === undefined) return 'unexpected';
    return wanted.endpoints.includes(endpoint) ? 'expected' : 'foreign';
  };
  return {
    subscriptions: listed.map(({ eventType, endpoint }) => ({
      eventType,
      endpoint,
      standing: standingOf(eventType, endpoint),
    })),
    missing: expected
      .map(({ eventType }) => eventType)
      .filter((eventType) => !listed.some((it) => it.eventType === eventType)),
  };
}
