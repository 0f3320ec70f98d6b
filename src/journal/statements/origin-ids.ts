import { DEFAULT_ORDER_LIMITS } from '../../domain/order';
import type { OrderLimits } from '../../domain/order';
import type { JournalContext } from '../context';
import { JournalNotReady } from '../errors';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';

/**
 * `fresh` takes `$2` numbers of the sequence; the first in the range that the journal does not know is bound.
 * `created` is null in a row of the last number, if nothing is bound and the sequence stands outside the range.
 */
const bindText = `
with known as (
  select origin_id from giro.reference where reference = $1::text
), fresh as materialized (
  select nextval('giro.origin_id') as origin_id from generate_series(1, $2::integer)
  where not exists (select from known)
), bound as (
  insert into giro.reference (reference, origin_id)
  select $1::text, min(f.origin_id) from fresh f
  where f.origin_id between $3::bigint and $4::bigint
    and not exists (select from giro.transfer t where t.origin_id = f.origin_id)
    and not exists (select from giro.reference r where r.origin_id = f.origin_id)
  having min(f.origin_id) is not null
  on conflict do nothing
  returning origin_id
)
select origin_id, false as created from known
union all
select origin_id, true as created from bound
union all
select max(origin_id), null from fresh where not exists (select from bound)
having max(origin_id) not between $3::bigint and $4::bigint`;

/** Skips a series of known ids in few round trips, at the price of some unused numbers. */
const FRESH_GROWTH = 8;
const FRESH_MAX = 4096;

type OriginIdRange = Pick<OrderLimits, 'originIdMin' | 'originIdMax'>;

/**
 * Binds `reference` to a new originId of the sequence, for ever; the same reference again gets the same originId.
 * Ids that the journal knows are skipped. The range concerns new bindings only.
 *
 * @throws JournalNotReady the sequence stands outside the range; nothing was bound
 */
export async function bindReference(
  { database }: JournalContext,
  reference: string,
  range: OriginIdRange = DEFAULT_ORDER_LIMITS,
): Promise<{ readonly originId: number; readonly created: boolean }> {
  const { originIdMin, originIdMax } = range;
  for (let fresh = 1; ; fresh = Math.min(fresh * FRESH_GROWTH, FRESH_MAX)) {
    const [row] = await database.run<{ origin_id: string; created: boolean | null }>(
      { name: 'bind-reference', text: bindText },
      [reference, fresh, originIdMin, originIdMax],
    );
    // No row: the journal knows every id that was taken, or another session has just bound this reference. The loop
    // ends with the range or the sequence.
    if (row === undefined) continue;
    const originId = toOriginId(row.origin_id);
    if (row.created === null) throw outOfRange(originId, range);
    return { originId, created: row.created };
  }
}

const outOfRange = (originId: number, { originIdMin, originIdMax }: OriginIdRange): JournalNotReady =>
  new JournalNotReady(
    `originId ${originId}, the next one of the journal, is ` +
      (originId < originIdMin
        ? `below ORIGIN_ID_MIN, ${originIdMin}: run setup --origin-id-from ${originIdMin}`
        : `above ORIGIN_ID_MAX, ${originIdMax}: raise ORIGIN_ID_MAX`),
  );

const orderText = 'select order_sha256 from giro.transfer where origin_id = $1::bigint';

/**
 * The fingerprint of the order under an originId; null: no such order in the journal. Opens no order, so it needs no
 * key ring.
 */
export async function orderSha256({ database }: JournalContext, originId: number): Promise<string | null> {
  const [row] = await database.run<Pick<TransferRow, 'order_sha256'>>(
    { name: 'order-sha256', text: orderText },
    [originId],
  );
  return row?.order_sha256 ?? null;
}

const advanceText = 'select giro.advance_origin_id($1::bigint)';

/** Makes the sequence continue from `next` or later; never back. */
export async function advanceSequence({ database }: JournalContext, next: number): Promise<void> {
  await database.run({ name: 'advance-sequence', text: advanceText }, [next]);
}
