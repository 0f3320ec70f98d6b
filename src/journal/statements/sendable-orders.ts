import type { TransferOrder } from '../../domain/order';
import { readable } from '../ciphers';
import type { JournalContext } from '../context';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';

export interface SendableOrder {
  readonly originId: number;
  /** A create may have reached the bank, and another one may follow. */
  readonly isRepeat: boolean;
  /** Null: the order does not open: its key is not available, or the row was altered. */
  readonly order: TransferOrder | null;
  /** Null: the order came without a proof. */
  readonly proof: string | null;
  readonly openedAt: Date;
}

const text = `
select t.origin_id, t.order_json, t.proof, t.opened_at, sendable.is_sent as is_repeat
from (
  select o.origin_id, o.is_sent from giro.open_transfer o
  where o.origin_id > $1::bigint and giro.sending_over(o.origin_id) is null
  order by o.origin_id limit $2::integer
) sendable
join giro.transfer t using (origin_id)
order by t.origin_id`;

interface Row extends Pick<TransferRow, 'origin_id' | 'order_json' | 'proof' | 'opened_at'> {
  readonly is_repeat: boolean;
}

/**
 * Orders of open transfers that may still be sent, for the first time or again, by originId after a given one. Includes
 * repeats that neither look-ups nor operators permit yet.
 */
export async function sendableOrders(
  { database, orders }: JournalContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly SendableOrder[]> {
  const rows = await database.run<Row>({ name: 'sendable-orders', text, replan: true }, [after, limit]);
  return rows.map(
    ({ origin_id: id, order_json: stored, proof, opened_at: openedAt, is_repeat: isRepeat }) => {
      const originId = toOriginId(id);
      const order = readable(() => orders.openOrder(stored, originId));
      return { originId, isRepeat, order, proof, openedAt };
    },
  );
}
