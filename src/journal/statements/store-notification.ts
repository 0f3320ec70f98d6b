import type { Database } from '../context';

export interface NewNotification {
  /** 1–255 characters; equal for repeats of one delivery. */
  readonly deliveryKey: string;
  /** As it came, or sealed. */
  readonly body: Buffer;
  /** Of the key that it is sealed with; null: as it came. */
  readonly keyId: string | null;
}

/** `duplicate`: a notification with this key is here already. */
export type Stored = 'stored' | 'duplicate';

/** What a body is sealed for: its own row. */
export const notificationContext = (deliveryKey: string): string =>
  `giro/journal/notification/${deliveryKey}`;

/** What the workers listen to. */
export const NOTIFICATION_CHANNEL = 'giro_notification';

/** A repeat that meets the first one uncommitted waits for it: either is then in the table. */
const storeText = `
insert into giro.notification (delivery_key, body, key_id) values ($1::text, $2::bytea, $3::text)
on conflict (delivery_key) do nothing
returning id`;

export async function storeNotification(
  database: Database,
  { deliveryKey, body, keyId }: NewNotification,
): Promise<Stored> {
  const rows = await database.run({ name: 'store-notification', text: storeText }, [
    deliveryKey,
    body,
    keyId,
  ]);
  return rows.length === 1 ? 'stored' : 'duplicate';
}

/**
 * A statement of its own: PostgreSQL commits transactions that notify one after the other, so that in the insert it
 * would hold up the answers.
 */
const announceText = `select pg_notify('${NOTIFICATION_CHANNEL}', '')`;

export async function announceNotifications(database: Database): Promise<void> {
  await database.run({ name: 'announce-notifications', text: announceText }, []);
}
