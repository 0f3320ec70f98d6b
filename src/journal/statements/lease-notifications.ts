import type { KeyRing } from '../../codec/key-ring';
import { SealError, open } from '../../codec/seal';
import type { JournalContext } from '../context';
import type { LeasedNotification } from '../inbox';
import { msSince } from '../rows';
import { bodyContext } from './store-notification';

const text = `
with due as (
  select n.id from giro.notification n
  where n.due_at <= clock_timestamp()
  order by n.due_at limit $1::integer
  for update skip locked
), leased as (
  update giro.notification n
  set due_at = clock_timestamp() + make_interval(secs => $2::double precision / 1000), tries = n.tries + 1
  from due where n.id = due.id
  returning n.*
)
select delivery_key, body, key_id, received_at, extract(epoch from received_at) * 1000000 as received_us,
  ${msSince('received_at')} as age_ms, tries
from leased order by id`;

interface Row {
  readonly delivery_key: string;
  readonly body: Buffer;
  readonly key_id: string | null;
  readonly received_at: Date;
  readonly received_us: string;
  readonly age_ms: number;
  readonly tries: number;
}

export async function leaseNotifications(
  { database, keyRing }: JournalContext,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly LeasedNotification[]> {
  const rows = await database.run<Row>({ name: 'lease-notifications', text }, [limit, leaseMs]);
  return rows.map((row) => ({
    deliveryKey: row.delivery_key,
    body: opened(row, keyRing),
    receivedAt: row.received_at.toISOString(),
    receivedAtUs: Number(row.received_us),
    ageMs: row.age_ms,
    tries: row.tries,
  }));
}

/** Null: its key is not there; it waits for it. */
function opened({ delivery_key, body, key_id }: Row, ring: KeyRing | null): Buffer | null {
  if (key_id === null) return body;
  if (ring === null) return null;
  try {
    return open(ring, bodyContext(delivery_key), { keyId: key_id, data: body });
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
