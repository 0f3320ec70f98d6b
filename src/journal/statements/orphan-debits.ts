import type { Database } from '../database';
import type { NewOrphanDebit, OrphanDebit } from '../inbox';
import { toOriginId } from '../rows';
import { mergeSameDebits } from '../same-debit';

const recordText = `
insert into giro.orphan_debit (delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at)
select o.delivery_key, o.movement_type, o.origin_ids, o.movement_ids, o.network_ids, o.received_at
from jsonb_to_recordset($1::jsonb) as o (
  delivery_key text, movement_type text, origin_ids bigint[], movement_ids text[], network_ids text[],
  received_at timestamptz
)
on conflict (delivery_key) do nothing
returning delivery_key`;

export async function recordOrphanDebits(
  database: Database,
  orphans: readonly NewOrphanDebit[],
): Promise<string[]> {
  if (orphans.length === 0) return [];
  const records = orphans.map((orphan) => ({
    delivery_key: orphan.deliveryKey,
    movement_type: orphan.movementType,
    origin_ids: orphan.originIds,
    movement_ids: orphan.movementIds,
    network_ids: orphan.networkIds,
    received_at: orphan.receivedAt,
  }));
  const rows = await database.run<{ delivery_key: string }>(
    { name: 'record-orphan-debits', text: recordText },
    [JSON.stringify(records)],
  );
  return rows.map(({ delivery_key }) => delivery_key);
}

/**
 * A transfer that became known by one of the ids takes its debit off the list, unless it ended as never taken by the
 * bank: then no money may have gone out for it. All rows are read, so that a debit keeps its first notification.
 */
const listText = `
with stands_for as not materialized (
  select t.origin_id from giro.transfer t left join giro.result r using (origin_id)
  where r.status is null or r.status not in ('REFUSED', 'WITHDRAWN')
)
select o.* from giro.orphan_debit o
where not exists (select from stands_for s where s.origin_id = any(o.origin_ids))
  and not exists (
    select from giro.answer a join stands_for s using (origin_id) where a.movement_id = any(o.movement_ids)
  )
  and not exists (
    select from giro.answer a join stands_for s using (origin_id) where a.network_id = any(o.network_ids)
  )
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
  const rows = await database.run<Row>({ name: 'orphan-debits', text: listText, replan: true }, []);
  const debits = rows.map((row) => ({
    deliveryKey: row.delivery_key,
    movementType: row.movement_type,
    originIds: row.origin_ids.map(toOriginId),
    movementIds: row.movement_ids,
    networkIds: row.network_ids,
    receivedAt: row.received_at.toISOString(),
    recordedAt: row.recorded_at.toISOString(),
  }));
  const sinceMs = since === null ? -Infinity : Date.parse(since);
  return mergeSameDebits(debits).filter(({ receivedAt }) => Date.parse(receivedAt) >= sinceMs);
}
