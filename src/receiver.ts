import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { parseJsonPointer } from './bank/http/json';
import { SetupMissing } from './program/exit-codes';
import type { ExitCode } from './program/exit-codes';
import { aborted, stopSignal } from './program/io';
import type { CommandIo } from './program/io';
import { runService, logReady } from './program/run';
import { readPathSecrets, readTlsFiles } from './config/receiver';
import type { ReceiverConfig } from './config/receiver';
import type { Need } from './config/settings';
import type { Parsed } from './config/formats';
import { readHmacSecrets, readStandardSecrets } from './config/webhook-verification';
import type { Context } from './context';
import { JournalUnavailable } from './journal/errors';
import { watchedJournal } from './journal/watched-journal';
import type { Logger } from './telemetry/logger';
import type { ServerMetrics } from './telemetry/metrics/process-metrics';
import { watchOutage } from './telemetry/outage-watch';
import { acceptDelivery } from './webhooks/accept-delivery';
import { startDispatcher } from './webhooks/dispatcher';
import type { Dispatcher, DispatcherOptions } from './webhooks/dispatcher';
import type { NotificationReading } from './webhooks/notification';
import { observerOf } from './webhooks/observer';
import type { WebhookObserver } from './webhooks/observer';
import { createReceiverApp, renewTls } from './webhooks/receiver-app';
import { rotatingSecrets } from './webhooks/secrets';
import { signalHints } from './webhooks/hint-sender';
import type { EngineWatch } from './webhooks/hint-sender';
import { acceptAll, hmacVerifier, standardVerifier } from './webhooks/verify';
import type { DeliveryVerifier } from './webhooks/verify';

/** The engine is connected later: notifications are taken while it is away. */
export const RECEIVER_NEEDS = [
  'logging',
  'journal',
  'temporalLater',
  'receiver',
] as const satisfies readonly Need[];

type ReceiverContext = Context<(typeof RECEIVER_NEEDS)[number]>;

export interface RunReceiverOptions {
  /** Aborted: no new connection is taken, requests under way are answered, the batch under way is ended. */
  readonly signal: AbortSignal;
  readonly onReady?: (ready: { readonly address: string }) => void;
}

/** Takes the bank's notifications and turns them into hints until `signal` is aborted, then drains. */
export async function runReceiver(
  context: ReceiverContext,
  { signal, onReady }: RunReceiverOptions,
): Promise<void> {
  const { logger, metrics, receiver } = context;
  const { config, secrets } = receiver;
  const observer = observerOf(metrics.webhooks);
  const servers = watchServers(context);
  const inbox = watchedJournal(context.journal, servers.journal);
  const dispatcher = startHinting(context, inbox, observer, servers.temporal);
  try {
    const app = await createReceiverApp({
      pathSecrets: secretsOf(logger, secrets.pathSecrets, config.pathSecretFile, readPathSecrets),
      accept: acceptDelivery({
        verify: verifierOf(context),
        inbox,
        deliveryIdPointer: config.deliveryIdPointer,
        onStored: () => dispatcher.wake(),
        onStoreFailed: (error) => noteFailure(logger, error, 'a notification could not be stored'),
      }),
      maxRps: config.maxRps,
      trustedHops: config.trustedHops,
      tls: secrets.tls,
      problems: () => [...(signal.aborted ? ['draining'] : []), ...servers.problems()],
      metrics: async () => {
        servers.show(metrics.servers);
        return {
          text: await metrics.registry.metrics(),
          contentType: metrics.registry.contentType,
        };
      },
      onAnswered: (outcome, durationMs) => observer.delivery(outcome, durationMs),
      onError: (error) => logger.error({ err: error }, 'a delivery met an unexpected error'),
    });
    const renewal = config.tls === null ? null : renewOnChange(app, config.tls, logger);
    try {
      await app.listen(config.address);
      const address = addressOf(app);
      logReady(logger, { http: address, tls: config.tls !== null, verify: config.verification.kind });
      onReady?.({ address });
      await aborted(signal);
      logger.info('draining');
    } finally {
      clearInterval(renewal ?? undefined);
      await app.close();
    }
  } finally {
    await dispatcher.stop();
    await servers.close();
  }
  logger.info('drained');
}

function startHinting(
  { logger, temporalLater, receiver: { config } }: ReceiverContext,
  inbox: DispatcherOptions['inbox'],
  observer: WebhookObserver,
  engine: EngineWatch,
): Dispatcher {
  return startDispatcher({
    inbox,
    reading: readingOf(config),
    sendHint: signalHints(temporalLater.client, engine),
    observer,
    keepMs: config.keepMs,
    onFailed: (error) => noteFailure(logger, error, 'notifications could not be worked on'),
    onOrphan: ({ movementType, originIds, movementIds, networkIds }) =>
      logger.warn(
        { movementType, originIds, movementIds, networkIds },
        'the bank tells of a debit that nobody ordered',
      ),
    onUnworkable: (deliveryKey, error) =>
      logger.error({ err: error, deliveryKey }, 'a notification could not be worked on: it is tried again'),
    onSetAside: (deliveryKey) =>
      logger.error({ deliveryKey }, 'a notification is set aside: try after try it could not be worked on'),
    onCut: () =>
      logger.warn('a notification holds more than is read of one: what is beyond the bounds was dropped'),
    onSealed: () =>
      logger.error('a stored notification is sealed with a key that CODEC_KEYS_FILE lacks: it waits'),
  });
}

/** What the receiver cannot do its work without; it takes notifications while the engine is away. */
function watchServers({ logger, journal, temporalLater }: ReceiverContext) {
  const ofJournal = watchOutage({
    server: 'the journal',
    meanwhile: 'notifications are answered 503 until it is back',
    probe: () => journal.checkSchema(),
    logger,
  });
  const ofTemporal = watchOutage({
    server: `Temporal at ${temporalLater.config.address}`,
    meanwhile: 'notifications are stored, hints wait until it is back',
    probe: () => temporalLater.probe(),
    logger,
  });
  return {
    journal: ofJournal,
    temporal: ofTemporal,
    problems: () => (ofJournal.isAway() ? ['the journal cannot be reached'] : []),
    show: ({ up }: ServerMetrics): void => {
      up.set({ server: 'temporal' }, ofTemporal.isAway() ? 0 : 1);
      up.set({ server: 'journal' }, ofJournal.isAway() ? 0 : 1);
    },
    close: async () => {
      await Promise.all([ofJournal.close(), ofTemporal.close()]);
    },
  };
}

/** An outage has its own two lines; anything else is a bug or a lack of set-up, and is told each time. */
function noteFailure(logger: Logger, error: unknown, what: string): void {
  if (!(error instanceof JournalUnavailable)) logger.error({ err: error }, what);
}

function verifierOf({ logger, receiver: { config, secrets } }: ReceiverContext): DeliveryVerifier {
  const { verification } = config;
  switch (verification.kind) {
    case 'url-token':
      return acceptAll;
    case 'standard':
      return standardVerifier(
        secretsOf(logger, secrets.signingSecrets, verification.secretFile, readStandardSecrets),
      );
    case 'hmac':
      return hmacVerifier(
        verification.scheme,
        secretsOf(logger, secrets.signingSecrets, verification.secretFile, readHmacSecrets),
      );
  }
}

function secretsOf(
  logger: Logger,
  initial: readonly string[],
  file: string,
  read: (file: string) => Parsed<readonly string[]>,
): () => readonly string[] {
  let reason = '';
  return rotatingSecrets(
    initial,
    () => {
      const parsed = read(file);
      if (parsed.ok) return parsed.value;
      reason = parsed.reason;
      return null;
    },
    () => logger.error({ reason }, 'a file of secrets cannot be used: those read before stay in force'),
  );
}

const readingOf = (config: ReceiverConfig): NotificationReading => ({
  idPointers: config.idPointers.map(({ kind, pointer }) => ({ kind, tokens: parseJsonPointer(pointer) })),
  debitPointer: config.debitPointer === null ? null : parseJsonPointer(config.debitPointer),
  debitTypes: config.debitTypes,
});

const RENEW_TLS_EVERY_MS = 30_000;

/** A renewed certificate is used without a restart; a pair that does not fit yet is looked at again. */
function renewOnChange(
  app: FastifyInstance,
  { certFile, keyFile }: NonNullable<ReceiverConfig['tls']>,
  logger: Logger,
): NodeJS.Timeout {
  let inUse = '';
  const look = (): void => {
    const files = readTlsFiles(certFile, keyFile);
    if (!files.ok) {
      logger.error(
        { reason: files.reason },
        'the certificate cannot be renewed: the one before stays in force',
      );
      return;
    }
    const current = files.value.certPem + files.value.keyPem;
    if (inUse !== '' && current !== inUse) {
      renewTls(app, files.value);
      logger.info('certificate renewed');
    }
    inUse = current;
  };
  look();
  return setInterval(look, RENEW_TLS_EVERY_MS).unref();
}

function addressOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** The program `giro receiver`: exit codes as in `commands/exit-codes.ts`. */
export function receiverProgram(io: CommandIo): Promise<ExitCode> {
  return runService(io, RECEIVER_NEEDS, async (context) => {
    const stop = stopSignal(io);
    try {
      const schema = await context.journal.checkSchema();
      if (!schema.ready) throw new SetupMissing([schema.problem]);
      await runReceiver(context, { signal: stop.signal });
    } finally {
      stop.release();
    }
  });
}
