import { DEFAULT_ORDER_LIMITS } from '../../domain/order';
import type { OrderLimits } from '../../domain/order';
import type { JournalContext } from '../context';
import { BindingsMayBeLost, JournalNotReady } from '../errors';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';
import { LOST_SINCE } from './lost-references';

/**
 * A lost binding is restored, unless another reference has got its originId meanwhile; then the two orders conflict.
 * `fresh` takes `$2` numbers of the sequence; the first in the range that the journal does not know is bound. A row of
 * another kind than `known` and `bound` says why nothing is bound.
 */
const bindText = `
with mark as (
  select c.journal_id, coalesce(m.mark_id, 0) as mark_id, coalesce(m.journal_id = c.journal_id, false) as is_current
  from (select giro.journal_id() as journal_id) c
  left join lateral (
    select k.mark_id, k.journal_id from giro.journal_mark k order by k.mark_id desc limit 1
  ) m on true
), known as (
  select origin_id from giro.reference where reference = $1::text
), lost as (
  select l.origin_id
  from giro.lost_reference l
  where l.reference_sha256 = encode(sha256(convert_to($1::text, 'UTF8')), 'hex') and not exists (select from known)
), fresh as materialized (
  select nextval('giro.origin_id') as origin_id from generate_series(1, $2::integer)
  where not exists (select from known) and not exists (select from lost) and (select is_current from mark)
), bound_again as (
  insert into giro.reference (reference, origin_id) select $1::text, origin_id from lost
  on conflict do nothing
), bound as (
  insert into giro.reference (reference, origin_id)
  select $1::text, min(f.origin_id) from fresh f
  where f.origin_id between $3::bigint and $4::bigint
    and not exists (select from giro.transfer t where t.origin_id = f.origin_id)
    and not exists (select from giro.reference r where r.origin_id = f.origin_id)
    and not exists (select from giro.lost_reference l where l.origin_id = f.origin_id)
  having min(f.origin_id) is not null
  on conflict do nothing
  returning origin_id
)
select 'known' as kind, origin_id, null::timestamptz as since, null as journal_id, null::bigint as mark_id from known
union all
select 'known', origin_id, null, null, null from lost
union all
select 'bound', origin_id, null, null, null from bound
union all
select 'out-of-range', max(origin_id), null, null, null from fresh where not exists (select from bound)
having max(origin_id) not between $3::bigint and $4::bigint
union all
select 'may-be-lost', null, ${LOST_SINCE}, m.journal_id, m.mark_id from mark m
where not m.is_current and not exists (select from known) and not exists (select from lost)`;

/** Skips a series of known ids in few round trips, at the price of some unused numbers. */
const FRESH_GROWTH = 8;
const FRESH_MAX = 4096;

type BoundRow =
  | {
      readonly kind: 'known' | 'bound' | 'out-of-range';
      readonly origin_id: string;
    }
  | {
      readonly kind: 'may-be-lost';
      readonly since: Date;
      readonly journal_id: string;
      readonly mark_id: string;
    };

type OriginIdRange = Pick<OrderLimits, 'originIdMin' | 'originIdMax'>;

/**
 * Binds `reference` to a new originId of the sequence, for ever; the same reference again gets the same originId.
 * Ids that the journal knows are skipped. The range concerns new bindings only.
 *
 * @throws JournalNotReady the sequence stands outside the range; nothing was bound
 * @throws BindingsMayBeLost note first what Temporal knows (`noteLostReferences`, `markBindingsKnown`)
 */
export async function bindReference(
  { database }: JournalContext,
  reference: string,
  range: OriginIdRange = DEFAULT_ORDER_LIMITS,
): Promise<{ readonly originId: number; readonly created: boolean }> {
  const { originIdMin, originIdMax } = range;
  for (let fresh = 1; ; fresh = Math.min(fresh * FRESH_GROWTH, FRESH_MAX)) {
    const [row] = await database.run<BoundRow>({ name: 'bind-reference', text: bindText }, [
      ...[reference, fresh, originIdMin, originIdMax],
    ]);
    // No row: the journal knows every id that was taken, or another session has just bound this reference. The loop
    // ends with the range or the sequence.
    if (row === undefined) continue;
    if (row.kind === 'may-be-lost')
      throw new BindingsMayBeLost(row.since, { journalId: row.journal_id, markId: row.mark_id });
    const originId = toOriginId(row.origin_id);
    if (row.kind === 'out-of-range') throw outOfRange(originId, range);
    return { originId, created: row.kind === 'bound' };
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
