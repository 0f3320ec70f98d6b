import type { JournalContext } from '../context';
import type { Settlement } from '../inbox';

/** One that was done meanwhile, by another receiver after a lease ran out, stays as it is. */
const text = `
update giro.notification n
set outcome = s.outcome,
  done_at = case when s.outcome is not null then clock_timestamp() end,
  due_at = case when s.outcome is null then clock_timestamp() + make_interval(secs => s.again_ms / 1000) end
from unnest($1::text[], $2::text[], $3::double precision[]) as s (delivery_key, outcome, again_ms)
where n.delivery_key = s.delivery_key and n.done_at is null`;

export async function settleNotifications(
  { database }: JournalContext,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return;
  await database.run({ name: 'settle-notifications', text }, [
    settlements.map(({ deliveryKey }) => deliveryKey),
    settlements.map((it) => ('outcome' in it ? it.outcome : null)),
    settlements.map((it) => ('outcome' in it ? null : it.againAfterMs)),
  ]);
}
