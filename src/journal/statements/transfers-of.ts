import type { TransferResultStatus } from '../../domain/transfer/result';
import type { JournalContext } from '../context';
import { toOriginId } from '../rows';

export interface MovementIds {
  readonly originIds: readonly number[];
  readonly movementIds: readonly string[];
  readonly networkIds: readonly string[];
}

export interface KnownTransfer {
  readonly by: keyof MovementIds;
  /** The requested id, as text. */
  readonly id: string;
  readonly originId: number;
  /** Null: open. */
  readonly result: TransferResultStatus | null;
}

/** Each id by its index. */
const text = `
select k.by, k.id, k.origin_id, e.status as result
from (
  select 'originIds' as by, o.id::text as id, t.origin_id
  from unnest($1::bigint[]) as o (id) join giro.transfer t on t.origin_id = o.id
  union
  select 'movementIds', m.id, a.origin_id
  from unnest($2::text[]) as m (id) join giro.answer a on a.movement_id = m.id
  union
  select 'networkIds', n.id, a.origin_id
  from unnest($3::text[]) as n (id) join giro.answer a on a.network_id = n.id
) k
left join giro.result e using (origin_id)`;

interface Row {
  readonly by: KnownTransfer['by'];
  readonly id: string;
  readonly origin_id: string;
  readonly result: TransferResultStatus | null;
}

/** The transfers that any of these ids belongs to. */
export async function transfersOf(
  { database }: JournalContext,
  { originIds, movementIds, networkIds }: MovementIds,
): Promise<readonly KnownTransfer[]> {
  if (originIds.length + movementIds.length + networkIds.length === 0) return [];
  const rows = await database.run<Row>({ name: 'transfers-of', text }, [originIds, movementIds, networkIds]);
  return rows.map(({ origin_id, ...rest }) => ({ ...rest, originId: toOriginId(origin_id) }));
}
