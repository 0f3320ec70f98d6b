import type { JournalContext } from '../context';
import { msSince } from '../rows';

/** A mark older than a day can hold no hint back, nor stand for a notification that is still waiting. */
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
)
select greatest((select count(*) from forgotten), (select count(*) from forgotten_hint))::integer as count`;

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

const backlogText = `
select count(*)::float8 as waiting, coalesce(max(${msSince('received_at')}), 0) as oldest_ms
from giro.notification where due_at is not null`;

export async function inboxBacklog({
  database,
}: JournalContext): Promise<{ readonly waiting: number; readonly oldestMs: number }> {
  const [row] = await database.run<{ waiting: number; oldest_ms: number }>(
    { name: 'inbox-backlog', text: backlogText },
    [],
  );
  return { waiting: row?.waiting ?? 0, oldestMs: row?.oldest_ms ?? 0 };
}
