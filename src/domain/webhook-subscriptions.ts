/** Stands in `WEBHOOKS_EXPECTED` for each secret of `RECEIVER_PATH_SECRET_FILE`. */
export const PATH_SECRET = '{secret}';

/** An expected subscription, as configured. */
export interface WebhookAddress {
  readonly eventType: string;
  /** May hold `{secret}`. */
  readonly address: string;
}

/** An expected subscription. */
export interface ExpectedWebhook {
  readonly eventType: string;
  /** Full addresses, each of them ours: two while the path's secret changes. */
  readonly endpoints: readonly string[];
}

export const expectedWebhooks = (
  addresses: readonly WebhookAddress[],
  pathSecrets: readonly string[],
): ExpectedWebhook[] =>
  addresses.map(({ eventType, address }) => ({
    eventType,
    endpoints: address.includes(PATH_SECRET)
      ? pathSecrets.map((secret) => address.replace(PATH_SECRET, secret))
      : [address],
  }));

/**
 * The state of a subscription.
 *
 * - `missing`: expected, but not subscribed.
 * - `foreign`: points to an address that is not ours or, for an expected type, to one of ours for another type.
 * - `unexpected`: points to an address of ours, for a type that is not expected.
 */
export type WebhookStanding = 'expected' | 'missing' | 'foreign' | 'unexpected';

export interface JudgedWebhook {
  readonly eventType: string;
  /** Null: missing. */
  readonly endpoint: string | null;
  /** Null: no subscription is expected at all. */
  readonly standing: WebhookStanding | null;
}

/** The bank's subscriptions in the bank's order, then the missing ones; addresses are compared exactly. */
export function judgeWebhooks(
  listed: readonly { readonly eventType: string; readonly endpoint: string }[],
  expected: readonly ExpectedWebhook[],
): JudgedWebhook[] {
  const ours = new Set(expected.flatMap(({ endpoints }) => endpoints));
  const standingOf = (eventType: string, endpoint: string): WebhookStanding | null => {
    if (expected.length === 0) return null;
    const wanted = expected.find((it) => it.eventType === eventType);
    if (wanted === undefined) return ours.has(endpoint) ? 'unexpected' : 'foreign';
    return wanted.endpoints.includes(endpoint) ? 'expected' : 'foreign';
  };
  const missing = expected.filter(({ eventType }) => !listed.some((it) => it.eventType === eventType));
  return [
    ...listed.map(({ eventType, endpoint }) => ({
      ...{ eventType, endpoint },
      standing: standingOf(eventType, endpoint),
    })),
    ...missing.map(({ eventType }) => ({ eventType, endpoint: null, standing: 'missing' as const })),
  ];
}

/** A deviation for people, without an address, so that any program may show it. */
export interface WebhookDeviation {
  readonly eventType: string;
  readonly standing: 'missing' | 'foreign';
}

const DEVIATIONS_MAX = 100;
const EVENT_TYPE = /^[A-Za-z0-9_.-]{1,100}$/;

/** At most a hundred, each once, sorted, so that two checks with the same deviations are equal. */
export function webhookDeviations(judged: readonly JudgedWebhook[]): WebhookDeviation[] {
  const found = new Map<string, WebhookDeviation>();
  for (const { eventType: word, standing } of judged) {
    if (standing !== 'missing' && standing !== 'foreign') continue;
    // The bank's text: kept only if it has the form of an event type.
    const eventType = EVENT_TYPE.test(word) ? word : 'unreadable';
    found.set(`${eventType} ${standing}`, { eventType, standing });
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, DEVIATIONS_MAX)
    .map(([, deviation]) => deviation);
}
