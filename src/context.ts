import { openBankConnection } from './context/bank-connection';
import { createBankLimiter } from './bank/limiter/limiter';
import type { BankLimiter } from './bank/limiter/limiter';
import type { BankConnection } from './bank/connection';
import type { BankClient } from './bank/movements/port';
import { ourBank } from './bank/our-bank';
import type { BankDialect } from './bank/dialect';
import { createHttpBankClient } from './bank/http-bank-client';
import type { WebhookBank } from './bank/webhooks/webhook-port';
import { readPathSecrets } from './config/receiver';
import { expectedWebhooks } from './domain/webhook-subscriptions';
import type { ExpectedWebhook } from './domain/webhook-subscriptions';
import { rotatingSecrets } from './webhooks/secrets';
import type { VerificationBank } from './bank/verifications/verification-port';
import type { AnswerRule } from './config/answer-rule';
import type { BankConfig, BankSecrets } from './config/bank';
import type { LoggingConfig, RecoveryConfig, WorkerConfig } from './config/process';
import { watchOrderSigners } from './context/watch-order-signers';
import type { OrderSigner } from './order-proofs/order-signers';
import type { ReconciliationConfig } from './config/reconciliation';
import type { ReceiverConfig, ReceiverSecrets } from './config/receiver';
import type { Config, Need, Secrets } from './config/settings';
import type { WebhookReading } from './config/webhook-reading';
import type { VerificationConfig } from './config/verifications';
import type { OrderLimits } from './domain/order';
import { DEFAULT_TRANSFER_SETTINGS } from './domain/transfer/settings';
import type { TransferSettings } from './domain/transfer/settings';
import type { AllowedSigner } from './decisions/allowed-signers';
import { readSignersFile } from './config/decision-signers';
import { watchFiles } from './config/watch-files';
import type { Watched } from './config/watch-files';
import { connectEngine } from './engine/connect';
import type { Engine } from './engine/connect';
import { checkJournal } from './journal/check-journal';
import type { JournalCheck } from './journal/check-journal';
import type { JournalIdentity } from './journal/identity';
import { createJournal } from './journal/create-journal';
import { createInbox } from './journal/inbox';
import type { Inbox } from './journal/inbox';
import { listenForNotifications } from './journal/listen';
import type { Listener } from './journal/listen';
import type { Journal } from './journal/journal';
import { excessOf, readLogin } from './journal/login';
import { migrateJournal } from './journal/migrate';
import type { MigrationReport } from './journal/migrate';
import { createLogger } from './telemetry/logger';
import type { Logger } from './telemetry/logger';
import { createMetrics } from './telemetry/metrics/metrics';
import type { Metrics } from './telemetry/metrics/metrics';
import { tracedBank } from './bank/traced-bank';
import { NO_TRACING, startTracing } from './telemetry/tracing';
import type { Tracing } from './telemetry/tracing';
import { VERSION } from './version';
import type { TokenObserver } from './context/bank-tokens';
import type { KeyRing } from './codec/key-ring';
import type { BankMetrics } from './telemetry/metrics/bank-metrics';
import { watchCertificates } from './context/watch-certificates';
import { watchLimiter } from './context/watch-limiter';

/** The journal and its schema. */
export type JournalResource = Journal & {
  checkSchema(): Promise<JournalCheck>;
  /** The powers of the login beyond the role of this process, as text; null: none. */
  loginExcess(): Promise<string | null>;
  migrate(): Promise<MigrationReport>;
  /** Calls back when a notification may have arrived; a missed call only delays its processing. */
  listenForNotifications(onNotified: () => void): Listener;
};

/** The receiver's part of the journal. */
export type InboxResource = Inbox & {
  checkSchema(): Promise<JournalCheck>;
};

/** The resources that are built from each part of the configuration. */
export interface Resources {
  readonly logging: LoggingConfig;
  readonly tracing: Tracing;
  readonly temporal: Engine;
  readonly journal: JournalResource;
  readonly inbox: InboxResource;
  readonly notifications: WebhookReading;
  readonly bank: BankClient & VerificationBank & WebhookBank;
  readonly orderLimits: OrderLimits;
  /** Who may give orders, by the current file; null: orders need no proof. */
  readonly orderSigners: () => readonly OrderSigner[] | null;
  readonly transferSettings: TransferSettings;
  /** Null: decisions are not signed. */
  readonly decisionSigners: Watched<readonly AllowedSigner[]> | null;
  readonly verifications: VerificationConfig;
  readonly worker: WorkerConfig;
  readonly recovery: RecoveryConfig;
  readonly reconciliation: ReconciliationConfig;
  readonly codecServer: Config['codecServer'] & Secrets['codecServer'];
  readonly webhooks: {
    /** Empty: nothing is expected. Each call reads the file of the path's secrets again. */
    readonly expected: () => readonly ExpectedWebhook[];
  };
  readonly webhookTypes: readonly string[];
  readonly receiver: { readonly config: ReceiverConfig; readonly secrets: ReceiverSecrets };
}

/** Resources of the requested parts; `close` releases what was built here, in reverse order. */
export type Context<N extends Need = Need> = Pick<Resources, N> & {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Admits requests to the bank; without a bank in the configuration, admits all of them. */
  readonly limiter: BankLimiter;
  close(): Promise<void>;
};

/** Used instead of the real resource; whoever passes an override closes it. */
export type Overrides = Partial<Resources> & {
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly limiter?: BankLimiter;
  /** Default: `ourBank`. */
  readonly dialect?: BankDialect;
  /** The role that works on the journal; default: the worker's. */
  readonly identity?: JournalIdentity;
};

/**
 * The composition root: builds the resources of the parts that `config` has, for the worker, each command, the demo
 * and tests. The journal connects with its first statement, the bank with its first call, Temporal at once.
 *
 * @throws ServerUnreachableError the engine cannot be reached
 */
export async function createContext<N extends Need>(
  config: Pick<Config, N>,
  secrets: Pick<Secrets, N & keyof Secrets>,
  overrides: Overrides = {},
): Promise<Context<N>> {
  const parts: Partial<Config> = config;
  const keys: Partial<Secrets> = secrets;
  const releases: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let release = releases.pop(); release !== undefined; release = releases.pop()) await release();
  };
  const logger = overrides.logger ?? createLogger({ level: parts.logging?.level ?? 'info' });

  const metrics = overrides.metrics ?? createMetrics();
  const limiter =
    overrides.limiter ??
    createBankLimiter({
      maxRps: parts.bank?.maxRps ?? 0,
      reconcileMaxRps: parts.reconciliation?.maxRps ?? 0,
      pollActiveMs: (parts.transferSettings ?? DEFAULT_TRANSFER_SETTINGS).pollActiveMs,
      observer: watchLimiter(logger, metrics.limiter),
    });

  const tracing =
    overrides.tracing ??
    (parts.tracing?.exporter && keys.tracing
      ? await startTracing({ ...parts.tracing.exporter, ...keys.tracing, serviceVersion: VERSION })
      : NO_TRACING);
  if (overrides.tracing === undefined) releases.push(() => tracing.close());

  const counted = (ring: KeyRing | null): KeyRing | null => {
    if (ring === null) return null;
    // Start the counter at zero, so that `increase` sees the first values.
    metrics.codec.sealed.inc({ key: ring.active }, 0);
    return { ...ring, onSeal: (key) => metrics.codec.sealed.inc({ key }) };
  };
  const buildJournal = ({ databaseUrl, keyRing: ring, clearBefore }: Secrets['journal']): JournalResource => {
    const { identity = 'giro_runtime' } = overrides;
    const { journal, close: closeJournal } = createJournal(databaseUrl, {
      ...{ keyRing: counted(ring), clearBefore, identity },
    });
    releases.push(closeJournal);
    return {
      ...journal,
      checkSchema: () => checkJournal(databaseUrl, identity),
      loginExcess: async () => excessOf(await readLogin(databaseUrl), identity),
      migrate: () => migrateJournal(databaseUrl),
      listenForNotifications: (onNotified) => listenForNotifications(databaseUrl, onNotified),
    };
  };
  const buildInbox = ({ databaseUrl }: Secrets['inbox']): InboxResource => {
    const { sealKey, quotas } = parts.receiver ?? {};
    const { inbox, close: closeInbox } = createInbox(databaseUrl, {
      ...(sealKey === undefined ? {} : { sealKey }),
      ...(quotas === undefined ? {} : { quotas }),
    });
    releases.push(closeInbox);
    return { ...inbox, checkSchema: () => checkJournal(databaseUrl, 'giro_receiver') };
  };
  const buildBank = (bankConfig: BankConfig, bankSecrets: BankSecrets): Resources['bank'] => {
    const connection = openBankConnection(bankConfig, bankSecrets, logger, countTokens(metrics.bank));
    const bank = bankClient(connection, bankConfig, limiter, overrides.dialect ?? ourBank);
    const certificates = watchCertificates({ tls: connection.tls, logger, metrics: metrics.bank });
    releases.push(() => {
      certificates.close();
      return bank.close();
    });
    return tracing.isOn ? tracedBank(bank) : bank;
  };
  const buildOrderSigners = (orderSigners: Config['orderSigners']): Resources['orderSigners'] => {
    const watched = watchOrderSigners(orderSigners, logger);
    releases.push(() => {
      watched.close();
      return Promise.resolve();
    });
    return watched.current;
  };
  const buildEngine = async (
    engineConfig: Config['temporal'],
    engineSecrets: Secrets['temporal'],
  ): Promise<Engine> => {
    const engine = await connectEngine(
      engineConfig,
      { ...engineSecrets, keyRing: counted(engineSecrets.keyRing) },
      tracing.clientInterceptors,
    );
    releases.push(() => engine.close());
    return engine;
  };

  const buildSigners = (given: Config['decisionSigners']): Resources['decisionSigners'] => {
    if (given === null) return null;
    const watched = watchFiles<readonly AllowedSigner[]>({
      initial: given.value,
      read: () => readSignersFile(given.file),
      onChange: (signers) => logger.info({ lines: signers.length }, 'DECIDERS_FILE has been read again'),
      onProblem: (reason) =>
        logger.error({ reason }, 'DECIDERS_FILE cannot be used: the operators read before stay in force'),
    });
    releases.push(() => {
      watched.close();
      return Promise.resolve();
    });
    return watched;
  };

  try {
    const resources: Partial<Resources> = {
      ...(parts.logging === undefined ? {} : { logging: parts.logging }),
      ...(parts.tracing === undefined ? {} : { tracing }),
      ...(parts.orderLimits === undefined ? {} : { orderLimits: parts.orderLimits }),
      ...(parts.orderSigners === undefined
        ? {}
        : { orderSigners: overrides.orderSigners ?? buildOrderSigners(parts.orderSigners) }),
      ...(parts.transferSettings === undefined ? {} : { transferSettings: parts.transferSettings }),
      ...(parts.decisionSigners === undefined
        ? {}
        : { decisionSigners: overrides.decisionSigners ?? buildSigners(parts.decisionSigners) }),
      ...(parts.verifications === undefined ? {} : { verifications: parts.verifications }),
      ...(parts.worker === undefined ? {} : { worker: parts.worker }),
      ...(parts.reconciliation === undefined ? {} : { reconciliation: parts.reconciliation }),
      ...(parts.recovery === undefined ? {} : { recovery: parts.recovery }),
      ...(parts.codecServer === undefined || keys.codecServer === undefined
        ? {}
        : { codecServer: { ...parts.codecServer, ...keys.codecServer } }),
      ...(keys.journal === undefined ? {} : { journal: overrides.journal ?? buildJournal(keys.journal) }),
      ...(keys.inbox === undefined ? {} : { inbox: overrides.inbox ?? buildInbox(keys.inbox) }),
      ...(parts.notifications === undefined ? {} : { notifications: parts.notifications }),
      ...(parts.bank === undefined || keys.bank === undefined
        ? {}
        : { bank: overrides.bank ?? buildBank(parts.bank, keys.bank) }),
      ...(parts.temporal === undefined || keys.temporal === undefined
        ? {}
        : { temporal: overrides.temporal ?? (await buildEngine(parts.temporal, keys.temporal)) }),
      ...(parts.webhooks === undefined || keys.webhooks === undefined
        ? {}
        : { webhooks: webhookExpectation(parts.webhooks, keys.webhooks, logger) }),
      ...(parts.webhookTypes === undefined ? {} : { webhookTypes: parts.webhookTypes }),
      ...(parts.receiver === undefined || keys.receiver === undefined
        ? {}
        : { receiver: { config: parts.receiver, secrets: keys.receiver } }),
      ...overrides,
    };
    return { ...(resources as Pick<Resources, N>), logger, metrics, limiter, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function bankClient(
  connection: BankConnection,
  config: BankConfig,
  limiter: BankLimiter,
  dialect: BankDialect,
) {
  return createHttpBankClient({
    ...{ connection, dialect },
    authStyleTransfers: config.authStyleTransfers,
    verifications: config.verifications,
    authStyleWebhooks: config.authStyleWebhooks,
    createTimeoutMs: config.createTimeoutMs,
    timeoutMs: config.lookupTimeoutMs,
    refused: answerCodes(config.refused),
    notFound: answerCodes(config.notFound),
    sendWorkflowTime: config.sandbox,
    nextPermit: () => limiter.next(),
  });
}

function webhookExpectation(
  { pathSecretFile }: Config['webhooks'],
  { expected, pathSecrets }: Secrets['webhooks'],
  logger: Logger,
): Resources['webhooks'] {
  const secrets = rotatingSecrets(
    pathSecrets,
    () => {
      const file = pathSecretFile === null ? null : readPathSecrets(pathSecretFile);
      return file === null ? [] : file.ok ? file.value : null;
    },
    () => logger.error('RECEIVER_PATH_SECRET_FILE cannot be used: the secrets read before stay in force'),
  );
  return { expected: () => expectedWebhooks(expected, secrets()) };
}

const countTokens = (metrics: BankMetrics): TokenObserver => ({
  failed: () => metrics.tokenFailures.inc(),
  fetched: (lifeMs) =>
    lifeMs === null ? metrics.tokenExpiry.remove() : metrics.tokenExpiry.set((Date.now() + lifeMs) / 1_000),
});

/** The lists of the configuration, in the form that the bank client uses. */
export const answerCodes = ({ statuses, code }: AnswerRule) => ({
  statuses,
  codePointer: code?.pointer ?? null,
  codes: code?.values ?? [],
});
