import { parseJsonPointer } from '../bank/http/json';
import type { WebhookReading } from '../config/webhook-reading';
import type { Context } from '../context';
import { JournalUnavailable } from '../journal/errors';
import { watchedJournal } from '../journal/watched-journal';
import type { JournalWatch } from '../journal/watched-journal';
import type { Logger } from '../telemetry/logger';
import type { WebhookMetrics } from '../telemetry/metrics/webhook-metrics';
import { startConfirming } from '../webhooks/confirm-debits';
import type { ConfirmOptions } from '../webhooks/confirm-debits';
import type { SetAsideReason } from '../webhooks/dispatch-batch';
import { startDispatcher } from '../webhooks/dispatcher';
import { signalHints } from '../webhooks/hint-sender';
import type { EngineWatch } from '../webhooks/hint-sender';
import type { NotificationReading } from '../webhooks/notification';
import { countDebits, countNotifications } from '../webhooks/observer';
import { askAboutDebit } from './ask-about-debit';

export interface Hinting {
  /** Ends after the current batch. */
  stop(): Promise<void>;
}

/**
 * Processes the inbox and sends hints: woken by the receiver through PostgreSQL, otherwise each second. Also asks the
 * bank about debits that nobody ordered.
 */
export function startHinting(
  context: Context<'journal' | 'temporal' | 'notifications' | 'bank' | 'transferSettings'>,
  servers: { readonly journal: JournalWatch; readonly temporal: EngineWatch },
): Hinting {
  const { logger, metrics, temporal, notifications } = context;
  const journal = watchedJournal(context.journal, servers.journal);
  // An outage has separate log lines at its start and end. Anything else is a bug or missing set-up, and is logged each
  // time.
  const onFailed =
    (what: string) =>
    (error: unknown): void => {
      if (!(error instanceof JournalUnavailable))
        logger.error({ err: error }, `${what} could not be processed`);
    };
  const confirming = startConfirming({
    journal,
    ask: askAboutDebit({ ...context, journal }),
    debitTypes: notifications.debitTypes,
    pollActiveMs: context.transferSettings.pollActiveMs,
    onEnd: tellDebitEnds(logger, metrics.webhooks),
    onFailed: onFailed('debits that nobody ordered'),
  });
  const dispatcher = startDispatcher({
    inbox: journal,
    reading: readingOf(notifications),
    sendHint: signalHints(temporal.client, servers.temporal),
    observer: countNotifications(metrics.webhooks),
    keepMs: notifications.keepMs,
    onFailed: onFailed('notifications'),
    onStaged: () => confirming.wake(),
    onUnworkable: (deliveryKey, error) =>
      logger.error({ err: error, deliveryKey }, 'a notification could not be processed: it is tried again'),
    onSetAside: (deliveryKey, why) =>
      logger.error({ deliveryKey }, `a notification is set aside: ${SET_ASIDE_BECAUSE[why]}`),
    onCut: () => logger.warn('a notification has more content than Giro reads: the rest was dropped'),
    onSealed: (count) =>
      logger.error(
        { count },
        'notifications are sealed with a key that CODEC_KEYS_FILE lacks: they wait for a day',
      ),
  });
  const listener = context.journal.listenForNotifications(() => dispatcher.wake());
  return {
    stop: async () => {
      await Promise.all([listener.close(), dispatcher.stop(), confirming.stop()]);
    },
  };
}

const SET_ASIDE_BECAUSE: Readonly<Record<SetAsideReason, string>> = {
  unworkable: 'its processing failed, or the worker died, four times in a row',
  altered: 'it does not open with its key: it was altered, or the key in CODEC_KEYS_FILE is a different one',
  'unknown-key': 'its key was missing in CODEC_KEYS_FILE for a day',
};

/**
 * Logs a warning for each debit that the bank confirms. Other debits are counted and logged at debug level: a hundred
 * invented debits in one delivery must not fill the log.
 */
export function tellDebitEnds(
  logger: Logger,
  metrics: Pick<WebhookMetrics, 'debits'>,
): ConfirmOptions['onEnd'] {
  const count = countDebits(metrics);
  return (outcome, { movementType, originIds, movementIds, networkIds }) => {
    count(outcome);
    const ids = { movementType, originIds, movementIds, networkIds };
    if (outcome === 'confirmed') logger.warn(ids, 'the bank confirms a debit that nobody ordered');
    else logger.debug({ ...ids, outcome }, 'the bank does not confirm a debit that nobody ordered');
  };
}

const readingOf = ({ idPointers, debitPointer, debitTypes }: WebhookReading): NotificationReading => ({
  idPointers: idPointers.map(({ kind, pointer }) => ({ kind, tokens: parseJsonPointer(pointer) })),
  debitPointer: debitPointer === null ? null : parseJsonPointer(debitPointer),
  debitTypes,
});
