import type { TransferOrder } from '../../domain/order';
import { readable } from '../ciphers';
import type { JournalContext } from '../context';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';
import { UNSENT } from './sending';

export interface UnsentOrder {
  readonly originId: number;
  /** Null: it cannot be read, the key that sealed it is not at hand. */
  readonly order: TransferOrder | null;
  /** Null: it came without one. */
  readonly proof: string | null;
  readonly openedAt: Date;
}

const text = `
select t.origin_id, t.order_json, t.proof, t.opened_at
from (select o.origin_id from ${UNSENT} and o.origin_id > $1::bigint order by o.origin_id limit $2::integer) unsent
join giro.transfer t using (origin_id)
order by t.origin_id`;

/** Orders of open transfers of which no create may have reached the bank, after an originId, in the order of the ids. */
export async function unsentOrders(
  { database, orders }: JournalContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly UnsentOrder[]> {
  const rows = await database.run<Pick<TransferRow, 'origin_id' | 'order_json' | 'proof' | 'opened_at'>>(
    { name: 'unsent-orders', text, replan: true },
    [after, limit],
  );
  return rows.map(({ origin_id: id, order_json: stored, proof, opened_at: openedAt }) => {
    const originId = toOriginId(id);
    return { originId, order: readable(() => orders.openOrder(stored, originId)), proof, openedAt };
  });
}
