import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SetupMissing } from './program/exit-codes';
import type { ExitCode } from './program/exit-codes';
import { aborted, stopSignal } from './program/io';
import type { CommandIo } from './program/io';
import { serveHealth } from './program/http';
import { runService, logReady } from './program/run';
import { readPathSecrets, readTlsFiles } from './config/receiver';
import type { InboxQuotas, ReceiverConfig } from './config/receiver';
import type { Need } from './config/settings';
import type { Parsed } from './config/formats';
import { readHmacSecrets, readStandardSecrets } from './config/webhook-verification';
import type { Context } from './context';
import { JournalUnavailable } from './journal/errors';
import type { Inbox } from './journal/inbox';
import { watchedJournal } from './journal/watched-journal';
import type { Logger } from './telemetry/logger';
import { watchOutage } from './telemetry/outage-watch';
import { acceptDelivery } from './webhooks/accept-delivery';
import { countDeliveries } from './webhooks/observer';
import { createReceiverApp, renewTls } from './webhooks/receiver-app';
import { rotatingSecrets } from './webhooks/secrets';
import { acceptAll, hmacVerifier, standardVerifier } from './webhooks/verify';
import type { DeliveryVerifier } from './webhooks/verify';

/** No order, no key ring and no engine: the process that faces the internet has only the inbox. */
export const RECEIVER_NEEDS = ['logging', 'inbox', 'receiver'] as const satisfies readonly Need[];

type ReceiverContext = Context<(typeof RECEIVER_NEEDS)[number]>;

export interface RunReceiverOptions {
  /** When aborted, the receiver accepts no new connections and answers the requests in flight. */
  readonly signal: AbortSignal;
  /** `httpAddress`: the address for health checks. */
  readonly onReady?: (ready: { readonly address: string; readonly httpAddress: string | null }) => void;
}

/** Verifies, stores and answers the bank's notifications until `signal` is aborted, then drains. */
export async function runReceiver(
  context: ReceiverContext,
  { signal, onReady }: RunReceiverOptions,
): Promise<void> {
  const { logger, metrics, receiver } = context;
  const { config, secrets } = receiver;
  if (config.sealKey === null)
    logger.warn('RECEIVER_SEAL_KEY_FILE is not set: notifications lie in clear in the journal');
  if (config.verification.kind === 'url-token')
    logger.warn('WEBHOOK_VERIFY is url-token: whoever learns the path may send notifications');
  const ofJournal = watchOutage({
    server: 'the journal',
    meanwhile: 'notifications are answered with 503 until it is reachable',
    probe: () => context.inbox.checkSchema(),
    logger,
  });
  const inbox = watchedJournal(context.inbox, ofJournal);
  await warnOfCap(inbox, config.quotas, logger);
  const announcer = announceTogether(() => inbox.announceNotifications());
  try {
    const app = await createReceiverApp({
      pathSecrets: secretsOf(logger, secrets.pathSecrets, config.pathSecretFile, readPathSecrets),
      accept: acceptDelivery({
        verify: verifierOf(context),
        inbox,
        deliveryIdPointer: config.deliveryIdPointer,
        onStored: announcer.announce,
        onStoreFailed: (error) => noteFailure(logger, error, 'a notification could not be stored'),
      }),
      maxRps: config.maxRps,
      trustedHops: config.trustedHops,
      tls: secrets.tls,
      onAnswered: countDeliveries(metrics.webhooks),
      onError: (error) => logger.error({ err: error }, 'unexpected error in a delivery'),
    });
    const renewal = config.tls === null ? null : renewOnChange(app, config.tls, logger);
    try {
      const health =
        config.httpAddress === null
          ? null
          : await serveHealth({
              ...config.httpAddress,
              problems: () => [
                ...(signal.aborted ? ['draining'] : []),
                ...(ofJournal.isAway() ? ['the journal cannot be reached'] : []),
              ],
              servers: () => [`journal: ${ofJournal.isAway() ? 'unreachable' : 'reachable'}`],
              metrics: metrics.registry,
              beforeScrape: () => {
                metrics.servers.up.set({ server: 'journal' }, ofJournal.isAway() ? 0 : 1);
                return Promise.resolve();
              },
              metricsUrl: null,
            });
      try {
        await app.listen(config.address);
        const address = addressOf(app);
        const httpAddress = health?.address ?? null;
        logReady(logger, {
          ...{
            deliveries: address,
            http: httpAddress,
            tls: config.tls !== null,
            verify: config.verification.kind,
          },
        });
        onReady?.({ address, httpAddress });
        await aborted(signal);
        logger.info('draining');
      } finally {
        await app.close();
        await health?.close();
      }
    } finally {
      clearInterval(renewal ?? undefined);
    }
  } finally {
    announcer.stop();
    await ofJournal.close();
  }
  logger.info('drained');
}

/** Warns of a quota above the cap. Such a quota has no effect, because the inbox never becomes so large. */
async function warnOfCap(
  inbox: Pick<Inbox, 'readCap'>,
  { maxRows, maxBytes }: InboxQuotas,
  logger: Logger,
): Promise<void> {
  try {
    const cap = await inbox.readCap();
    const warn = (variable: string, max: number): void =>
      logger.warn({ cap: max }, `${variable} is above giro.inbox_cap of the database: the cap applies`);
    if (maxRows > cap.maxRows) warn('RECEIVER_INBOX_MAX_ROWS', cap.maxRows);
    if (maxBytes > cap.maxBytes) warn('RECEIVER_INBOX_MAX_BYTES', cap.maxBytes);
  } catch (error) {
    noteFailure(logger, error, 'the cap of the inbox cannot be read');
  }
}

/**
 * Deliveries within this time are announced together. The time is far shorter than a hint may take, and far longer than
 * one delivery takes.
 */
const ANNOUNCE_AFTER_MS = 10;

/** A lost announcement costs a second: the workers also poll. */
function announceTogether(announceNow: () => Promise<void>): {
  readonly announce: () => void;
  readonly stop: () => void;
} {
  let timer: NodeJS.Timeout | null = null;
  return {
    announce: () => {
      timer ??= setTimeout(() => {
        timer = null;
        void announceNow().catch(() => undefined);
      }, ANNOUNCE_AFTER_MS);
    },
    stop: () => clearTimeout(timer ?? undefined),
  };
}

/**
 * An outage has separate log lines at its start and end. Anything else is a bug or missing set-up, and is logged each
 * time.
 */
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

const RENEW_TLS_EVERY_MS = 30_000;

/** A renewed certificate is used without a restart; a pair that does not match yet is read again. */
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
        'the certificate cannot be renewed: the previous one stays in force',
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

/** The program `giro receiver`: exit codes as in `program/exit-codes.ts`. */
export function receiverProgram(io: CommandIo): Promise<ExitCode> {
  return runService(io, RECEIVER_NEEDS, async (context) => {
    const stop = stopSignal(io);
    try {
      const schema = await context.inbox.checkSchema();
      if (!schema.ready) throw new SetupMissing([schema.problem]);
      await runReceiver(context, { signal: stop.signal });
    } finally {
      stop.release();
    }
  });
}
