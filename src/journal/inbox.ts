import { sealTo } from '../codec/receiver-key';
import type { SealKey } from '../codec/receiver-key';
import { openDatabase } from './database';
import type { DatabaseOptions } from './database';
import {
  announceNotifications,
  notificationContext,
  readInboxCap,
  storeNotification,
} from './statements/store-notification';
import type { InboxQuotas, NewNotification, Stored } from './statements/store-notification';

/** Everything that the receiver may do in the journal. Methods throw like those of `Journal`. */
export interface Inbox {
  /** Commits before it resolves. */
  storeNotification(notification: Pick<NewNotification, 'deliveryKey' | 'body'>): Promise<Stored>;
  /** Wakes the workers that listen. */
  announceNotifications(): Promise<void>;
  /** Beyond the cap nothing is stored, whatever the quotas allow. */
  readCap(): Promise<InboxQuotas>;
}

export interface InboxOptions {
  /** The public key that bodies are sealed to; null (default): bodies are stored in clear. */
  readonly sealKey?: SealKey | null;
  /** Default: none. */
  readonly quotas?: InboxQuotas;
}

export interface OpenInbox {
  readonly inbox: Inbox;
  readonly close: () => Promise<void>;
}

const NO_QUOTAS: InboxQuotas = {
  maxRows: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
};

/** The inbox of the journal at `url`, under the role `giro_receiver`. Connects with the first statement. */
export function createInbox(
  url: string,
  { sealKey = null, quotas = NO_QUOTAS, ...options }: Omit<DatabaseOptions, 'identity'> & InboxOptions = {},
): OpenInbox {
  const database = openDatabase(url, { ...options, identity: 'giro_receiver' });
  return {
    inbox: {
      storeNotification: async ({ deliveryKey, body }) => {
        const sealed = sealKey && (await sealTo(sealKey, notificationContext(deliveryKey), body));
        const { data, keyId } = sealed ?? { data: body, keyId: null };
        return storeNotification(database, { deliveryKey, body: data, keyId }, quotas);
      },
      announceNotifications: () => announceNotifications(database),
      readCap: () => readInboxCap(database),
    },
    close: () => database.close(),
  };
}
