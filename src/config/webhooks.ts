import { PATH_SECRET } from '../domain/webhook-subscriptions';
import type { WebhookAddress } from '../domain/webhook-subscriptions';
import { baseUrl } from './bank-url';
import { accept, listOf, refuse } from './parsers';
import type { Parser } from './parsers';
import { readPathSecrets } from './receiver';
import type { SettingsReader } from './reader';

export interface WebhooksConfig {
  /** `RECEIVER_PATH_SECRET_FILE`; null: no address needs it. */
  readonly pathSecretFile: string | null;
}

export interface WebhooksSecrets {
  /** Empty: subscriptions are not checked. An address may carry the path's secret. */
  readonly expected: readonly WebhookAddress[];
  /** What stands in the file. */
  readonly pathSecrets: readonly string[];
}

export function readWebhooks(reader: SettingsReader): {
  readonly config: WebhooksConfig;
  readonly secrets: WebhooksSecrets;
} {
  const expected = readPairs(reader);
  if (!expected.some(({ address }) => address.includes(PATH_SECRET)))
    return { config: { pathSecretFile: null }, secrets: { expected, pathSecrets: [] } };
  const file = reader.required('RECEIVER_PATH_SECRET_FILE', accept);
  const pathSecrets = reader.required('RECEIVER_PATH_SECRET_FILE', readPathSecrets) ?? [];
  return { config: { pathSecretFile: file }, secrets: { expected, pathSecrets } };
}

export const readWebhookTypes = (reader: SettingsReader): readonly string[] =>
  readPairs(reader).map(({ eventType }) => eventType);

function readPairs(reader: SettingsReader): readonly WebhookAddress[] {
  const pairs = reader.optional('WEBHOOKS_EXPECTED', listOf(pair)) ?? [];
  const types = pairs.map(({ eventType }) => eventType);
  if (new Set(types).size < types.length)
    reader.problem('WEBHOOKS_EXPECTED', 'names an event type twice: there is one subscription for each');
  return pairs;
}

const pair: Parser<WebhookAddress> = (text) => {
  const [, eventType = '', address = ''] = /^([A-Za-z0-9_.-]{1,100})=(.+)$/.exec(text) ?? [];
  if (eventType === '') return refuse('is not EVENT_TYPE=ADDRESS');
  // Judged as the bank's address is: https, or http on loopback.
  const judged = baseUrl(address.replace(PATH_SECRET, 'secret'));
  return judged.ok ? accept({ eventType, address }) : refuse(`has an address that ${judged.reason}`);
};
