import type { ExpectedWebhook } from '../domain/webhook-subscriptions';
import { baseUrl } from './bank-url';
import { accept, listOf, refuse } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';
import { readPathSecrets } from './receiver';

export interface WebhooksConfig {
  /** Empty: subscriptions are not checked. Addresses carry the path's secret. */
  readonly expected: readonly ExpectedWebhook[];
}

const PLACEHOLDER = '{secret}';

export function readWebhooks(reader: SettingsReader): WebhooksConfig {
  const pairs = reader.optional('WEBHOOKS_EXPECTED', listOf(pair)) ?? [];
  const types = pairs.map(({ eventType }) => eventType);
  if (new Set(types).size < types.length)
    reader.problem('WEBHOOKS_EXPECTED', 'names an event type twice: there is one subscription for each');
  const secrets = pairs.some(({ endpoint }) => endpoint.includes(PLACEHOLDER))
    ? reader.required('RECEIVER_PATH_SECRET_FILE', readPathSecrets)
    : [];
  return {
    expected: pairs.map(({ eventType, endpoint }) => ({
      eventType,
      endpoints: endpoint.includes(PLACEHOLDER)
        ? (secrets ?? []).map((secret) => endpoint.replace(PLACEHOLDER, secret))
        : [endpoint],
    })),
  };
}

const pair: Parser<{ readonly eventType: string; readonly endpoint: string }> = (text) => {
  const [, eventType = '', endpoint = ''] = /^([A-Za-z0-9_.-]{1,100})=(.+)$/.exec(text) ?? [];
  if (eventType === '') return refuse('is not EVENT_TYPE=ADDRESS');
  // Judged as the bank's address is: https, or http on loopback.
  const address = baseUrl(endpoint.replace(PLACEHOLDER, 'secret'));
  return address.ok ? accept({ eventType, endpoint }) : refuse(`has an address that ${address.reason}`);
};
