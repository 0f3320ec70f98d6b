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

export interface SendablePage {
  readonly orders: readonly SendableOrder[];
  /** Where the next page continues; null: this page was the last. */
  readonly next: number | null;
}

const text = `
with page as (
  select o.origin_id, o.is_sent from giro.open_transfer o
  where o.origin_id > $1::bigint order by o.origin_id limit $2::integer
)
select n.next, t.origin_id, t.order_json, t.proof, t.opened_at, p.is_sent as is_repeat
from (select case when count(*) = $2::integer then max(origin_id) end as next from page) n
left join (
  page p join giro.transfer t on t.origin_id = p.origin_id and giro.sending_over(p.origin_id) is null
) on true
order by t.origin_id`;

interface Row extends Pick<TransferRow, 'order_json' | 'proof' | 'opened_at'> {
  readonly next: string | null;
  /** Null, like the columns after it: no order of this page may be sent. */
  readonly origin_id: string | null;
  readonly is_repeat: boolean;
}

/**
 * Reads `limit` open transfers, by originId after a given one, and returns the orders that may still be sent, for the
 * first time or again. Includes repeats that neither look-ups nor operators permit yet.
 */
export async function sendableOrders(
  { database, orders }: JournalContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<SendablePage> {
  const rows = await database.run<Row>({ name: 'sendable-orders', text, replan: true }, [after, limit]);
  const next = rows[0]?.next ?? null;
  return {
    next: next === null ? null : toOriginId(next),
    orders: rows.flatMap(
      ({ origin_id: id, order_json: stored, proof, opened_at: openedAt, is_repeat: isRepeat }) => {
        if (id === null) return [];
        const originId = toOriginId(id);
        const order = readable(() => orders.openOrder(stored, originId));
        return [{ originId, isRepeat, order, proof, openedAt }];
      },
    ),
  };
}
