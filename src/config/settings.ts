import type { OrderLimits } from '../domain/order';
import type { TransferSettings } from '../domain/transfer/settings';
import { readBank } from './bank';
import type { BankConfig, BankSecrets } from './bank';
import { ConfigError } from './config-error';
import { readDecisionSigners } from './decision-signers';
import type { DecisionSignersConfig } from './decision-signers';
import type { Env } from './env';
import { readCodecServer } from './codec-server';
import type { CodecServerConfig, CodecServerSecrets } from './codec-server';
import { readInbox, readJournal } from './journal';
import type { JournalConfig, JournalSecrets } from './journal';
import { readOrderLimits } from './order-limits';
import { readOrderSignersConfig } from './order-signers';
import type { OrderSignersConfig } from './order-signers';
import { readLogging, readRecovery, readWorker } from './process';
import type { LoggingConfig, RecoveryConfig, WorkerConfig } from './process';
import { readReconciliation } from './reconciliation';
import type { ReconciliationConfig } from './reconciliation';
import { readReceiver } from './receiver';
import type { ReceiverConfig, ReceiverSecrets } from './receiver';
import { readTemporal } from './temporal';
import type { TemporalConfig, TemporalSecrets } from './temporal';
import { readTransferSettings } from './transfer-settings';
import { readWebhookTypes, readWebhooks } from './webhooks';
import type { WebhooksConfig, WebhooksSecrets } from './webhooks';
import { readReading } from './webhook-reading';
import type { WebhookReading } from './webhook-reading';
import { readTracing } from './tracing';
import type { TracingConfig, TracingSecrets } from './tracing';
import { readVerifications } from './verifications';
import type { VerificationConfig } from './verifications';
import { SettingsReader } from './variable';
import { configWarnings } from './warnings';

/** The configuration by part: plain data without secrets, durations in ms. */
export interface Config {
  readonly logging: LoggingConfig;
  readonly tracing: TracingConfig;
  readonly temporal: TemporalConfig;
  readonly journal: JournalConfig;
  /** The same, for the receiver. */
  readonly inbox: JournalConfig;
  readonly bank: BankConfig;
  readonly orderLimits: OrderLimits;
  readonly orderSigners: OrderSignersConfig;
  readonly transferSettings: TransferSettings;
  /** Null: decisions are not signed. */
  readonly decisionSigners: DecisionSignersConfig | null;
  readonly verifications: VerificationConfig;
  readonly worker: WorkerConfig;
  readonly recovery: RecoveryConfig;
  readonly reconciliation: ReconciliationConfig;
  readonly codecServer: CodecServerConfig;
  readonly receiver: ReceiverConfig;
  readonly notifications: WebhookReading;
  readonly webhooks: WebhooksConfig;
  /** The event types of the expected subscriptions, for programs that do not need the addresses. */
  readonly webhookTypes: readonly string[];
}

/** Secrets: never logged, never in an error. */
export interface Secrets {
  readonly tracing: TracingSecrets;
  readonly temporal: TemporalSecrets;
  readonly journal: JournalSecrets;
  readonly inbox: Pick<JournalSecrets, 'databaseUrl'>;
  readonly bank: BankSecrets;
  readonly codecServer: CodecServerSecrets;
  readonly receiver: ReceiverSecrets;
  readonly webhooks: WebhooksSecrets;
}

export type Need = keyof Config;

export interface Settings<N extends Need = Need> {
  readonly config: Pick<Config, N>;
  readonly secrets: Pick<Secrets, N & keyof Secrets>;
  /** Set but not read: misspelt names. */
  readonly warnings: readonly string[];
}

type Part<N extends Need> = N extends keyof Secrets
  ? { readonly config: Config[N]; readonly secrets: Secrets[N] }
  : { readonly config: Config[N] };

/** Each reader returns null after a problem without a usable default. */
const READERS: { readonly [N in Need]: (reader: SettingsReader) => Part<N> | null } = {
  logging: (reader) => ({ config: readLogging(reader) }),
  tracing: readTracing,
  temporal: readTemporal,
  journal: readJournal,
  inbox: readInbox,
  bank: readBank,
  orderLimits: (reader) => ({ config: readOrderLimits(reader) }),
  orderSigners: (reader) => ({ config: readOrderSignersConfig(reader) }),
  transferSettings: (reader) => ({ config: readTransferSettings(reader) }),
  decisionSigners: (reader) => ({ config: readDecisionSigners(reader) }),
  codecServer: readCodecServer,
  verifications: (reader) => ({ config: readVerifications(reader) }),
  worker: (reader) => ({ config: readWorker(reader) }),
  reconciliation: (reader) => ({ config: readReconciliation(reader) }),
  recovery: (reader) => ({ config: readRecovery(reader) }),
  receiver: readReceiver,
  notifications: (reader) => ({ config: readReading(reader) }),
  webhooks: readWebhooks,
  webhookTypes: (reader) => ({ config: readWebhookTypes(reader) }),
};

/**
 * Reads and checks what a command needs, and only that.
 *
 * @throws ConfigError with all errors together
 */
export function loadSettings<const N extends Need>(env: Env, needs: readonly N[]): Settings<N> {
  const reader = new SettingsReader(env);
  const config: Partial<Record<Need, unknown>> = {};
  const secrets: Partial<Record<Need, unknown>> = {};
  for (const need of needs) {
    const part: Part<Need> | null = READERS[need](reader);
    if (part === null) continue;
    config[need] = part.config;
    if ('secrets' in part) secrets[need] = part.secrets;
  }
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return {
    config: config as Pick<Config, N>,
    secrets: secrets as Pick<Secrets, N & keyof Secrets>,
    warnings: configWarnings(env),
  };
}
