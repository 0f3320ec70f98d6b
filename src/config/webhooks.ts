import { PATH_SECRET } from '../domain/webhook-subscriptions';
import type { WebhookAddress } from '../domain/webhook-subscriptions';
import { baseUrl } from './address';
import { accept, listOf, refuse } from './formats';
import type { Parser } from './formats';
import { RECEIVER } from './receiver';
import { variables } from './variable';
import type { SettingsReader } from './variable';

export interface WebhooksConfig {
  /** `RECEIVER_PATH_SECRET_FILE`; null: no address needs it. */
  readonly pathSecretFile: string | null;
}

export interface WebhooksSecrets {
  /** Empty: subscriptions are not checked. An address may contain the path's secret. */
  readonly expected: readonly WebhookAddress[];
  /** The content of the file. */
  readonly pathSecrets: readonly string[];
}

const pair: Parser<WebhookAddress> = (text) => {
  const [, eventType = '', address = ''] = /^([A-Za-z0-9_.-]{1,100})=(.+)$/.exec(text) ?? [];
  if (eventType === '') return refuse('is not EVENT_TYPE=ADDRESS');
  // The same rule as for the bank's address: https, or http on loopback.
  const judged = baseUrl(address.replace(PATH_SECRET, 'secret'));
  return judged.ok ? accept({ eventType, address }) : refuse(`has an address that ${judged.reason}`);
};

const pairs: Parser<readonly WebhookAddress[]> = (text) => {
  const parsed = listOf(pair)(text);
  if (!parsed.ok) return parsed;
  const types = new Set(parsed.value.map(({ eventType }) => eventType));
  return types.size < parsed.value.length
    ? refuse('names an event type twice: each type has one subscription')
    : parsed;
};

export const WEBHOOKS = variables('Webhooks', {
  WEBHOOKS_EXPECTED: {
    parse: pairs,
    allowed:
      'EVENT_TYPE=https://HOST/PATH, comma-separated; {secret} in an address: any of RECEIVER_PATH_SECRET_FILE',
    meaning: 'subscriptions that should exist at the bank, with their addresses',
    shown: 'never',
  },
});

export function readWebhooks(reader: SettingsReader): {
  readonly config: WebhooksConfig;
  readonly secrets: WebhooksSecrets;
} {
  const expected = reader.read(WEBHOOKS.WEBHOOKS_EXPECTED) ?? [];
  if (!expected.some(({ address }) => address.includes(PATH_SECRET)))
    return { config: { pathSecretFile: null }, secrets: { expected, pathSecrets: [] } };
  const source = reader.required(RECEIVER.RECEIVER_PATH_SECRET_FILE);
  return {
    config: { pathSecretFile: source?.file ?? null },
    secrets: { expected, pathSecrets: source?.value ?? [] },
  };
}

export const readWebhookTypes = (reader: SettingsReader): readonly string[] =>
  (reader.read(WEBHOOKS.WEBHOOKS_EXPECTED) ?? []).map(({ eventType }) => eventType);
