import { DEFAULT_ORDER_LIMITS } from '../../domain/order';
import type { OrderLimits } from '../../domain/order';
import type { JournalContext } from '../context';
import { BindingsMayBeLost, JournalNotReady } from '../errors';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';

/** The mark that `setup --restored` sets, because a restored snapshot has the timeline of before. */
const RESTORED = 'restored';
/** A standby may have got a later binding, and not an earlier one whose transaction ended later. */
const LOSS_MARGIN = '10 min';

/**
 * `fresh` takes `$2` numbers of the sequence; the first in the range that the journal does not know is bound. `created`
 * is null in a row that says why nothing is bound: the sequence stands outside the range at `origin_id`, or bindings
 * may be lost since `lost_since`.
 */
const bindText = `
with mark as (
  select giro.journal_id() as journal_id, m.journal_id = giro.journal_id() as is_current
  from giro.journal_mark m order by m.mark_id desc limit 1
), known as (
  select origin_id from giro.reference where reference = $1::text
), lost as (
  select l.origin_id from giro.lost_reference l
  where l.reference_sha256 = encode(sha256(convert_to($1::text, 'UTF8')), 'hex') and not exists (select from known)
), fresh as materialized (
  select nextval('giro.origin_id') as origin_id from generate_series(1, $2::integer)
  where not exists (select from known) and not exists (select from lost) and (select is_current from mark)
), bound_again as (
  insert into giro.reference (reference, origin_id) select $1::text, origin_id from lost
  on conflict do nothing
  returning origin_id
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
select origin_id, false as created, null::timestamptz as lost_since, null as journal_id from known
union all
select origin_id, false, null, null from bound_again
union all
select origin_id, true, null, null from bound
union all
select max(origin_id), null, null, null from fresh where not exists (select from bound)
having max(origin_id) not between $3::bigint and $4::bigint
union all
select null, null, greatest(
    (select max(k.marked_at) from giro.journal_mark k where k.journal_id <> '${RESTORED}'),
    (select max(r.bound_at) from giro.reference r)
  ) - interval '${LOSS_MARGIN}', m.journal_id
from mark m
where not m.is_current and not exists (select from known) and not exists (select from lost)`;

/** Skips a series of known ids in few round trips, at the price of some unused numbers. */
const FRESH_GROWTH = 8;
const FRESH_MAX = 4096;

interface BoundRow {
  readonly origin_id: string | null;
  readonly created: boolean | null;
  readonly lost_since: Date | null;
  readonly journal_id: string | null;
}

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
    if (row.lost_since !== null) throw new BindingsMayBeLost(row.lost_since, row.journal_id ?? '');
    const originId = toOriginId(row.origin_id ?? '');
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

/** A transfer that was started by reference, as Temporal knows it. */
export interface StartedByReference {
  /** SHA-256 of the reference, hex. */
  readonly referenceSha256: string;
  readonly originId: number;
}

const noteText = `
insert into giro.lost_reference (reference_sha256, origin_id)
select n.reference_sha256, n.origin_id from unnest($1::text[], $2::bigint[]) n (reference_sha256, origin_id)
where not exists (select from giro.reference r where r.origin_id = n.origin_id)
on conflict do nothing`;

/** Notes bindings that may be lost; those that the journal has are skipped. */
export async function noteLostReferences(
  { database }: JournalContext,
  started: readonly StartedByReference[],
): Promise<void> {
  await database.run({ name: 'note-lost-references', text: noteText }, [
    started.map(({ referenceSha256 }) => referenceSha256),
    started.map(({ originId }) => originId),
  ]);
}

const markText = `
insert into giro.journal_mark (journal_id) select $1::text where giro.journal_id() = $1::text`;

/** No binding is missing any more on this PostgreSQL. Does nothing if the journal has moved again meanwhile. */
export async function markBindingsKnown({ database }: JournalContext, journalId: string): Promise<void> {
  await database.run({ name: 'mark-bindings-known', text: markText }, [journalId]);
}

const doubtText = `insert into giro.journal_mark (journal_id) values ('${RESTORED}')`;

/** Bindings may be lost: the journal was restored from a backup. */
export async function doubtBindings({ database }: JournalContext): Promise<void> {
  await database.run({ name: 'doubt-bindings', text: doubtText }, []);
}

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
