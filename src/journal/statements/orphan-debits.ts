import type { Database } from '../database';
import type { NewOrphanDebit, OrphanDebit } from '../inbox';
import { toOriginId } from '../rows';

const recordText = `
insert into giro.orphan_debit (delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at)
select o.delivery_key, o.movement_type, o.origin_ids, o.movement_ids, o.network_ids, o.received_at
from jsonb_to_recordset($1::jsonb) as o (
  delivery_key text, movement_type text, origin_ids bigint[], movement_ids text[], network_ids text[],
  received_at timestamptz
)
on conflict (delivery_key) do nothing`;

export async function recordOrphanDebits(
  database: Database,
  orphans: readonly NewOrphanDebit[],
): Promise<void> {
  if (orphans.length === 0) return;
  const records = orphans.map((orphan) => ({
    delivery_key: orphan.deliveryKey,
    movement_type: orphan.movementType,
    origin_ids: orphan.originIds,
    movement_ids: orphan.movementIds,
    network_ids: orphan.networkIds,
    received_at: orphan.receivedAt,
  }));
  await database.run({ name: 'record-orphan-debits', text: recordText }, [JSON.stringify(records)]);
}

/** A transfer that became known by one of the ids takes its debit off the list. */
const listText = `
select o.* from giro.orphan_debit o
where ($1::timestamptz is null or o.received_at >= $1::timestamptz)
  and not exists (select from giro.transfer t where t.origin_id = any(o.origin_ids))
  and not exists (select from giro.answer a where a.movement_id = any(o.movement_ids))
  and not exists (select from giro.answer a where a.network_id = any(o.network_ids))
order by o.received_at, o.record_id`;

interface Row {
  readonly delivery_key: string;
  readonly movement_type: string | null;
  readonly origin_ids: string[];
  readonly movement_ids: string[];
  readonly network_ids: string[];
  readonly received_at: Date;
  readonly recorded_at: Date;
}

export async function orphanDebits(
  database: Database,
  { since }: { readonly since: string | null },
): Promise<OrphanDebit[]> {
  const rows = await database.run<Row>({ name: 'orphan-debits', text: listText, replan: true }, [since]);
  return rows.map((row) => ({
    deliveryKey: row.delivery_key,
    movementType: row.movement_type,
    originIds: row.origin_ids.map(toOriginId),
    movementIds: row.movement_ids,
    networkIds: row.network_ids,
    receivedAt: row.received_at.toISOString(),
    recordedAt: row.recorded_at.toISOString(),
  }));
}
