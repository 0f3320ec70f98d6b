import { parseJsonPointer } from '../bank/http/json';
import type { WebhookReading } from '../config/webhook-reading';
import type { Context } from '../context';
import { JournalUnavailable } from '../journal/errors';
import { watchedJournal } from '../journal/watched-journal';
import type { JournalWatch } from '../journal/watched-journal';
import { startDispatcher } from '../webhooks/dispatcher';
import { signalHints } from '../webhooks/hint-sender';
import type { EngineWatch } from '../webhooks/hint-sender';
import type { NotificationReading } from '../webhooks/notification';
import { countNotifications } from '../webhooks/observer';

export interface Hinting {
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

/** Opens the inbox and hints: woken by the receiver through PostgreSQL, else by a look each second. */
export function startHinting(
  { logger, metrics, journal, temporal, notifications }: Context<'journal' | 'temporal' | 'notifications'>,
  servers: { readonly journal: JournalWatch; readonly temporal: EngineWatch },
): Hinting {
  const dispatcher = startDispatcher({
    inbox: watchedJournal(journal, servers.journal),
    reading: readingOf(notifications),
    sendHint: signalHints(temporal.client, servers.temporal),
    observer: countNotifications(metrics.webhooks),
    keepMs: notifications.keepMs,
    onFailed: (error) => {
      // An outage has its own two lines; anything else is a bug or a lack of set-up, and is told each time.
      if (!(error instanceof JournalUnavailable))
        logger.error({ err: error }, 'notifications could not be worked on');
    },
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
  const listener = journal.listenForNotifications(() => dispatcher.wake());
  return {
    stop: async () => {
      await Promise.all([listener.close(), dispatcher.stop()]);
    },
  };
}

const readingOf = ({ idPointers, debitPointer, debitTypes }: WebhookReading): NotificationReading => ({
  idPointers: idPointers.map(({ kind, pointer }) => ({ kind, tokens: parseJsonPointer(pointer) })),
  debitPointer: debitPointer === null ? null : parseJsonPointer(debitPointer),
  debitTypes,
});
