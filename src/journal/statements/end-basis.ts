import { NO_ORDER_LIMITS } from '../../domain/order';
import { orderFingerprint } from '../../domain/order-fingerprint';
import { validateOrder } from '../../domain/order-validation';
import type { EndBasis } from '../../domain/transfer/end-issue';
import type { TransferRecords } from '../../domain/transfer/records';
import { readable } from '../ciphers';
import type { JournalContext } from '../context';
import type { TransferRow } from '../rows';
import { TRANSFER_LINES } from './transfer-lines';

const text = `
select t.order_sha256, t.order_json, ${TRANSFER_LINES} as lines
from giro.transfer t
where t.origin_id = $1::bigint and not exists (select from giro.result e where e.origin_id = t.origin_id)`;

type Row = Pick<TransferRow, 'order_sha256' | 'order_json'> & { readonly lines: TransferRecords };

/** What an end of the transfer is checked against; null: the transfer has ended, or the journal does not have it. */
export async function endBasis(
  { database, orders }: JournalContext,
  originId: number,
): Promise<EndBasis | null> {
  const [row] = await database.run<Row>({ name: 'end-basis', text }, [originId]);
  if (row === undefined) return null;
  const order = readable(() => orders.openOrder(row.order_json, originId));
  // An altered row proves nothing; the run's own order has the fingerprint, and the result is checked against that.
  const body =
    order !== null && validateOrder(order, NO_ORDER_LIMITS).ok && orderFingerprint(order) === row.order_sha256
      ? order.body
      : null;
  return {
    orderSha256: row.order_sha256,
    amount: body === null ? null : { currency: body.currencyId, value: body.amount },
    records: row.lines,
  };
}
