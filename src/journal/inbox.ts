import { openDatabase } from './database';
import type { DatabaseOptions } from './database';
import { announceNotifications, storeNotification } from './statements/store-notification';
import type { NewNotification, Stored } from './statements/store-notification';

/** All that the receiver may do to the journal. Methods throw as those of `Journal`. */
export interface Inbox {
  /** Commits before it resolves. */
  storeNotification(notification: NewNotification): Promise<Stored>;
  /** Wakes the workers that listen. */
  announceNotifications(): Promise<void>;
}

export interface OpenInbox {
  readonly inbox: Inbox;
  readonly close: () => Promise<void>;
}

/** The inbox of the journal at `url`, worked as `giro_receiver`. Connects with the first statement. */
export function createInbox(url: string, options: Omit<DatabaseOptions, 'identity'> = {}): OpenInbox {
  const database = openDatabase(url, { ...options, identity: 'giro_receiver' });
  return {
    inbox: {
      storeNotification: (notification) => storeNotification(database, notification),
      announceNotifications: () => announceNotifications(database),
    },
    close: () => database.close(),
  };
}
