import type { JournalContext } from '../context';
import { NOBODY_STANDS_FOR, STANDS_FOR, mergeSameDebits, toDebit } from './orphan-debits';
import type { DebitRow, NotifiedDebit } from './orphan-debits';
import type { MovementIds } from './transfers-of';

/** Maximum number of held debits about which the bank can be asked. Further debits wait in the inbox, which has quotas. */
export const SUSPECTED_DEBITS_MAX = 10_000;
/**
 * Maximum number of held debits about which the bank cannot be asked. Beyond it the oldest are deleted, because no answer of
 * the bank will ever resolve them.
 */
export const BARE_DEBITS_MAX = 1_000;

export interface SuspectedDebit extends NotifiedDebit {
  /** Inquiries at the bank about this debit, the current one included. */
  readonly asked: number;
  /**
   * Readable answers that neither confirm nor explain the debit: no such movement, another movement, or a movement that
   * is not a debit or moved no money.
   */
  readonly notFound: number;
  /** False: a transfer explains the debit by now. */
  readonly isOrphan: boolean;
  /** The bank has already confirmed the debit, with every id of this notification. */
  readonly isConfirmed: boolean;
}

/** The journal takes the debit's time from its notification. */
export type DebitToHold = Omit<NotifiedDebit, 'receivedAt'>;

const stageText = `
with notified as (
  select * from jsonb_to_recordset($1::jsonb) as o (
    delivery_key text, movement_type text, origin_ids bigint[], movement_ids text[], network_ids text[]
  )
), held as (
  select s.delivery_key from notified join giro.suspected_debit s using (delivery_key)
  union all select o.delivery_key from notified join giro.orphan_debit o using (delivery_key)
), staged as (
  insert into giro.suspected_debit
    (delivery_key, movement_type, origin_ids, movement_ids, network_ids, ask_at)
  select t.delivery_key, t.movement_type, t.origin_ids, t.movement_ids, t.network_ids,
    case when t.origin_ids <> '{}' or t.network_ids <> '{}' then clock_timestamp() end
  from notified t cross join (select count(*) as rows from giro.suspected_debit where ask_at is not null) full_of
  where t.delivery_key not in (select h.delivery_key from held h)
    and ((t.origin_ids = '{}' and t.network_ids = '{}') or full_of.rows < $2::bigint)
  on conflict (delivery_key) do nothing
  returning delivery_key
), beyond as (
  delete from giro.suspected_debit where id in (
    select id from giro.suspected_debit where ask_at is null order by id desc offset $3::bigint
  )
)
select delivery_key from held union all select delivery_key from staged`;

/**
 * Holds debits of notifications without a known transfer until the bank has been asked. Each key is held once, even
 * after repeats. Returns the keys that are held or were confirmed before; for the others no room was left.
 */
export async function stageDebits(
  { database }: JournalContext,
  debits: readonly DebitToHold[],
): Promise<ReadonlySet<string>> {
  if (debits.length === 0) return new Set();
  const records = debits.map((debit) => ({
    delivery_key: debit.deliveryKey,
    movement_type: debit.movementType,
    origin_ids: debit.originIds,
    movement_ids: debit.movementIds,
    network_ids: debit.networkIds,
  }));
  const rows = await database.run<{ delivery_key: string }>({ name: 'stage-debits', text: stageText }, [
    ...[JSON.stringify(records), SUSPECTED_DEBITS_MAX, BARE_DEBITS_MAX],
  ]);
  return new Set(rows.map(({ delivery_key }) => delivery_key));
}

/** SQL: another debit that comes first, by the ids that tie both to one movement. */
const isAhead = (ids: string): string => `
  select from giro.suspected_debit f
  where f.ask_at is not null and f.id <> s.id and f.${ids} && s.${ids}
    and (f.asked > 0 or f.id < s.id) and (s.asked = 0 or f.id < s.id)`;

/**
 * Of several debits about one movement only the first is asked about; the others wait until it is resolved. Debits
 * with the fewest inquiries come first, so that a flood does not delay others for long.
 */
const leaseText = `
with ${STANDS_FOR}, due as (
  select s.id from giro.suspected_debit s
  where s.ask_at <= clock_timestamp()
    and not exists (${isAhead('origin_ids')}) and not exists (${isAhead('network_ids')})
  order by s.asked, s.ask_at limit $1::integer
  for update skip locked
), leased as (
  update giro.suspected_debit s
  set ask_at = clock_timestamp() + make_interval(secs => $2::double precision / 1000), asked = s.asked + 1
  from due where s.id = due.id
  returning s.*
)
select o.*, ${NOBODY_STANDS_FOR} as is_orphan, exists (
  select from giro.orphan_debit k
  where o.origin_ids <@ k.origin_ids and o.movement_ids <@ k.movement_ids and o.network_ids <@ k.network_ids
    and (k.origin_ids && o.origin_ids or k.network_ids && o.network_ids)
) as is_confirmed
from leased o order by o.id`;

interface SuspectedRow extends DebitRow {
  readonly asked: number;
  readonly not_found: number;
  readonly is_orphan: boolean;
  readonly is_confirmed: boolean;
}

/** Takes debits about which the bank may be asked, for `leaseMs`: no other worker gets them meanwhile. */
export async function leaseSuspectedDebits(
  { database }: JournalContext,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly SuspectedDebit[]> {
  const rows = await database.run<SuspectedRow>({ name: 'lease-suspected-debits', text: leaseText }, [
    limit,
    leaseMs,
  ]);
  return rows.map(toSuspected);
}

/** Others about the same movement become due again, when the bank may be asked about it again. */
const released = (ids: string): string => `
  s.ask_at is not null and s.delivery_key <> gone.delivery_key and s.${ids} && gone.${ids}`;
const releaseText = `
released as (
  update giro.suspected_debit s
  set ask_at = greatest(s.ask_at, clock_timestamp() + make_interval(secs => $2::double precision / 1000))
  from gone where ${released('origin_ids')} or ${released('network_ids')}
)`;

const confirmText = `
with gone as materialized (
  select (held).*, is_new from giro.confirm_debit($1, $3::bigint[], $4::text[], $5::text[])
), ${releaseText}
select delivery_key from gone where is_new`;

/**
 * Records a debit that the bank confirms, with the ids of the bank's answer: everything else in a notification is
 * unconfirmed. `pauseMs`: pause before others about the same movement. Returns whether this call recorded the debit.
 */
export async function confirmDebit(
  { database }: JournalContext,
  {
    deliveryKey,
    ids,
    pauseMs,
  }: { readonly deliveryKey: string; readonly ids: MovementIds; readonly pauseMs: number },
): Promise<boolean> {
  const { originIds, movementIds, networkIds } = ids;
  const rows = await database.run({ name: 'confirm-debit', text: confirmText }, [
    ...[deliveryKey, pauseMs, originIds, movementIds, networkIds],
  ]);
  return rows.length > 0;
}

const dropText = `
with gone as (
  delete from giro.suspected_debit where delivery_key = $1 returning *
), ${releaseText}
select delivery_key from gone`;

/** Discards a debit with another outcome than `confirmed`; `pauseMs` as for `confirmDebit`. */
export async function dropSuspectedDebit(
  { database }: JournalContext,
  { deliveryKey, pauseMs }: { readonly deliveryKey: string; readonly pauseMs: number },
): Promise<void> {
  await database.run({ name: 'drop-suspected-debit', text: dropText }, [deliveryKey, pauseMs]);
}

const againText = `
update giro.suspected_debit
set ask_at = clock_timestamp() + make_interval(secs => $2::double precision / 1000),
  not_found = not_found + $3::integer
where delivery_key = $1`;

/**
 * Makes the debit due again after `afterMs`. `wasNotFound`: the bank has just given a readable answer, which counts in
 * `notFound`.
 */
export async function askAgainAboutDebit(
  { database }: JournalContext,
  {
    deliveryKey,
    afterMs,
    wasNotFound,
  }: { readonly deliveryKey: string; readonly afterMs: number; readonly wasNotFound: boolean },
): Promise<void> {
  await database.run({ name: 'ask-again-about-debit', text: againText }, [
    ...[deliveryKey, afterMs, wasNotFound ? 1 : 0],
  ]);
}

const listText = `
with ${STANDS_FOR}
select o.*, true as is_orphan, false as is_confirmed from giro.suspected_debit o
where ($1::timestamptz is null or o.received_at >= $1) and ($2::timestamptz is null or o.received_at < $2)
  and ${NOBODY_STANDS_FOR}
  and not exists (
    select from giro.orphan_debit k where k.origin_ids && o.origin_ids or k.movement_ids && o.movement_ids
      or k.network_ids && o.network_ids
  )
order by o.received_at, o.id limit $3::integer`;

/** The oldest debits that the bank has not confirmed; several notifications of one debit count once. */
export async function suspectedDebits(
  { database }: JournalContext,
  {
    since,
    before,
    limit,
  }: { readonly since: string | null; readonly before: string | null; readonly limit: number },
): Promise<readonly SuspectedDebit[]> {
  const rows = await database.run<SuspectedRow>({ name: 'suspected-debits', text: listText, replan: true }, [
    ...[since, before, limit],
  ]);
  return mergeSameDebits(rows.map(toSuspected));
}

const toSuspected = (row: SuspectedRow): SuspectedDebit => ({
  ...toDebit(row),
  asked: row.asked,
  notFound: row.not_found,
  isOrphan: row.is_orphan,
  isConfirmed: row.is_confirmed,
});
