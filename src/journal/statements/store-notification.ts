import type { Database } from '../context';

export interface NewNotification {
  /** 1–255 characters; equal for repeats of one delivery. */
  readonly deliveryKey: string;
  /** As received, or sealed. */
  readonly body: Buffer;
  /** Id of the key that seals it; null: in clear. */
  readonly keyId: string | null;
}

/** `duplicate`: a notification with this key is stored already; `inbox-full`: a quota is used up. */
export type Stored = 'stored' | 'duplicate' | 'inbox-full';

export interface InboxQuotas {
  readonly maxRows: number;
  /** Total size of the bodies as stored. */
  readonly maxBytes: number;
}

const capText = `select max_rows, max_bytes from giro.inbox_cap`;

/**
 * The cap that the owner of the database sets for the inbox. The lower of this cap and a receiver's settings applies.
 */
export async function readInboxCap(database: Database): Promise<InboxQuotas> {
  const [row] = await database.run<{ max_rows: string; max_bytes: string }>(
    { name: 'inbox-cap', text: capText },
    [],
  );
  if (row === undefined) throw new Error('giro.inbox_cap has one row');
  return { maxRows: Number(row.max_rows), maxBytes: Number(row.max_bytes) };
}

/** The context of a sealed body: its own row. */
export const notificationContext = (deliveryKey: string): string =>
  `giro/journal/notification/${deliveryKey}`;

/** The channel that the workers listen to. */
export const NOTIFICATION_CHANNEL = 'giro_notification';

/** A repeat waits for an uncommitted first delivery, so one of the two is in the table afterwards. */
const storeText = `
with size as (
  select sum(s.row_count) >= least($4::bigint, min(c.max_rows))
    or sum(s.byte_count) + octet_length($2::bytea) > least($5::bigint, min(c.max_bytes)) as is_full
  from giro.inbox_size s, giro.inbox_cap c
), stored as (
  insert into giro.notification (delivery_key, body, key_id)
  select $1::text, $2::bytea, $3::text from size where not is_full
  on conflict (delivery_key) do nothing
  returning id
)
select exists (select from stored) as is_stored,
  (select is_full from size)
    and not exists (select from giro.notification n where n.delivery_key = $1::text) as is_refused`;

export async function storeNotification(
  database: Database,
  { deliveryKey, body, keyId }: NewNotification,
  { maxRows, maxBytes }: InboxQuotas,
): Promise<Stored> {
  const [row] = await database.run<{ is_stored: boolean; is_refused: boolean }>(
    { name: 'store-notification', text: storeText },
    [deliveryKey, body, keyId, maxRows, maxBytes],
  );
  if (row?.is_refused === true) return 'inbox-full';
  return row?.is_stored === true ? 'stored' : 'duplicate';
}

/**
 * A separate statement: PostgreSQL serialises the commits of transactions that notify, so notifying in the insert
 * would delay the answers.
 */
const announceText = `select pg_notify('${NOTIFICATION_CHANNEL}', '')`;

export async function announceNotifications(database: Database): Promise<void> {
  await database.run({ name: 'announce-notifications', text: announceText }, []);
}
