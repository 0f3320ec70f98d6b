import type { KeyRing } from '../../codec/key-ring';
import { openSealed } from '../../codec/receiver-key';
import { SealError } from '../../codec/seal';
import type { JournalContext } from '../context';
import { notificationContext } from './store-notification';
import { msSince } from '../rows';

export interface LeasedNotification {
  readonly deliveryKey: string;
  /** The opened body; otherwise why it does not open. */
  readonly body: Buffer | SealError['why'];
  /** Microseconds since 1970, by the journal's clock. */
  readonly receivedAtUs: number;
  readonly ageMs: number;
  /** Including this try. */
  readonly tries: number;
  /**
   * Previous leases in a row that ended without a result. Above 0, this notification may have crashed their holders.
   */
  readonly unfinished: number;
}

/**
 * The outcome of a notification. With several events, the first of `orphan`, `hinted`, `merged`, `ended`.
 *
 * - `hinted`: Temporal has a hint for its workflow.
 * - `merged`: a later hint stands for it.
 * - `ended`: the transfer or verification had ended.
 * - `orphan`: a debit that no transfer explains.
 * - `not-ours`: incoming money, and everything else that does not concern Giro.
 * - `unreadable`: not JSON.
 * - `set-aside`: could not be processed in several tries, or does not open.
 */
export const NOTIFICATION_OUTCOMES = [
  'hinted',
  'merged',
  'ended',
  'orphan',
  'not-ours',
  'unreadable',
  'set-aside',
] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

export type NotificationResult = { readonly deliveryKey: string } & (
  { readonly outcome: NotificationOutcome } | { readonly againAfterMs: number }
);

const leaseText = `
with due as (
  select n.id from giro.notification n
  where n.due_at <= clock_timestamp() and n.unfinished = 0
  order by n.due_at limit $1::integer
  for update skip locked
), suspect as (
  select n.id from giro.notification n
  where n.due_at <= clock_timestamp() and n.unfinished > 0
  order by n.due_at limit 1
  for update skip locked
), leased as (
  update giro.notification n
  set due_at = clock_timestamp() + make_interval(secs => $2::double precision / 1000), tries = n.tries + 1,
    unfinished = n.unfinished + 1
  from (select id from due union all select id from suspect) taken where n.id = taken.id
  returning n.*
)
select delivery_key, body, key_id, extract(epoch from received_at) * 1000000 as received_us,
  ${msSince('received_at')} as age_ms, tries, unfinished - 1 as unfinished
from leased order by id`;

interface LeasedRow {
  readonly delivery_key: string;
  readonly body: Buffer;
  readonly key_id: string | null;
  readonly received_us: string;
  readonly age_ms: number;
  readonly tries: number;
  readonly unfinished: number;
}

/**
 * Leases due notifications, oldest first, for `leaseMs`: no other worker gets them meanwhile. A notification that is
 * not processed by then is due again. Such notifications come one at a time: at most one with `unfinished` above 0, in
 * addition to the `limit` others.
 */
export async function leaseNotifications(
  { database, keyRing }: JournalContext,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly LeasedNotification[]> {
  const rows = await database.run<LeasedRow>({ name: 'lease-notifications', text: leaseText }, [
    limit,
    leaseMs,
  ]);
  return inOrder(rows, async (row) => ({
    deliveryKey: row.delivery_key,
    body: await opened(row, keyRing),
    receivedAtUs: Number(row.received_us),
    ageMs: row.age_ms,
    tries: row.tries,
    unfinished: row.unfinished,
  }));
}

async function inOrder<Item, Result>(
  items: readonly Item[],
  each: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}

async function opened(
  { delivery_key, body, key_id }: LeasedRow,
  ring: KeyRing | null,
): Promise<LeasedNotification['body']> {
  if (key_id === null) return body;
  try {
    return await openSealed(ring ?? {}, notificationContext(delivery_key), { keyId: key_id, data: body });
  } catch (error) {
    if (error instanceof SealError) return error.why;
    throw error;
  }
}

/** A notification that another worker has processed after the lease ran out stays unchanged. */
const resultsText = `
update giro.notification n
set outcome = s.outcome, unfinished = 0,
  done_at = case when s.outcome is not null then clock_timestamp() end,
  due_at = case when s.outcome is null then clock_timestamp() + make_interval(secs => s.again_ms / 1000) end
from unnest($1::text[], $2::text[], $3::double precision[]) as s (delivery_key, outcome, again_ms)
where n.delivery_key = s.delivery_key and n.done_at is null`;

/** Marks leased notifications as done, or due again after a while. */
export async function recordNotificationResults(
  { database }: JournalContext,
  results: readonly NotificationResult[],
): Promise<void> {
  if (results.length === 0) return;
  await database.run({ name: 'record-notification-results', text: resultsText }, [
    results.map(({ deliveryKey }) => deliveryKey),
    results.map((it) => ('outcome' in it ? it.outcome : null)),
    results.map((it) => ('outcome' in it ? null : it.againAfterMs)),
  ]);
}

/** A mark older than a day can neither hold a hint back nor serve a waiting notification. */
const forgetText = `
with old_notification as (
  select n.id from giro.notification n
  where n.done_at < clock_timestamp() - make_interval(secs => $1::double precision / 1000)
  order by n.done_at limit $2::integer
  for update skip locked
), old_hint as (
  select h.workflow_id from giro.hint h
  where h.granted_at < clock_timestamp() - interval '1 day'
  order by h.granted_at limit $2::integer
  for update skip locked
), forgotten_hint as (
  delete from giro.hint h using old_hint o where h.workflow_id = o.workflow_id returning h.workflow_id
), forgotten as (
  delete from giro.notification n using old_notification o where n.id = o.id returning n.id
), forgotten_debit as (
  delete from giro.suspected_debit s
  where s.ask_at is null and s.received_at < clock_timestamp() - make_interval(secs => $1::double precision / 1000)
)
select greatest((select count(*) from forgotten), (select count(*) from forgotten_hint))::integer as count`;

/**
 * Deletes at most `limit` notifications that were processed longer ago than `olderThanMs`, and at most `limit` marks of
 * hints older than a day. Also deletes all suspected debits older than `olderThanMs` about which the bank cannot be
 * asked. Returns the larger number of deleted notifications and marks: below `limit` none of these is left.
 */
export async function forgetNotifications(
  { database }: JournalContext,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<number> {
  const [row] = await database.run<{ count: number }>({ name: 'forget-notifications', text: forgetText }, [
    olderThanMs,
    limit,
  ]);
  return row?.count ?? 0;
}

export interface SetAsideNotification {
  readonly deliveryKey: string;
  /** ISO UTC, both. */
  readonly receivedAt: string;
  readonly setAsideAt: string;
  readonly tries: number;
}

const setAsideText = `
select delivery_key, received_at, done_at, tries from giro.notification
where outcome = 'set-aside' order by done_at desc limit $1::integer`;

/** Notifications that could not be processed, the newest first. */
export async function setAsideNotifications(
  { database }: JournalContext,
  { limit }: { readonly limit: number },
): Promise<readonly SetAsideNotification[]> {
  const rows = await database.run<{
    readonly delivery_key: string;
    readonly received_at: Date;
    readonly done_at: Date;
    readonly tries: number;
  }>({ name: 'set-aside-notifications', text: setAsideText }, [limit]);
  return rows.map(({ delivery_key, received_at, done_at, tries }) => ({
    ...{ deliveryKey: delivery_key, receivedAt: received_at.toISOString() },
    ...{ setAsideAt: done_at.toISOString(), tries },
  }));
}

const backlogText = `
select count(*)::float8 as waiting, coalesce(max(${msSince('received_at')}), 0) as oldest_ms
from giro.notification where due_at is not null`;

/** Notifications that are not done, and the age of the oldest in ms (0: none). */
export async function inboxBacklog({
  database,
}: JournalContext): Promise<{ readonly waiting: number; readonly oldestMs: number }> {
  const [row] = await database.run<{ waiting: number; oldest_ms: number }>(
    { name: 'inbox-backlog', text: backlogText },
    [],
  );
  return { waiting: row?.waiting ?? 0, oldestMs: row?.oldest_ms ?? 0 };
}
