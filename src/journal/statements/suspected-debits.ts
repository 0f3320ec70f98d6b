import type { JournalContext } from '../context';
import { toOriginId } from '../rows';
import { NOBODY_STANDS_FOR, STANDS_FOR, mergeSameDebits } from './orphan-debits';
import type { NotifiedDebit } from './orphan-debits';

/** As many are held; what does not fit waits in the inbox, whose quotas bound it. */
export const SUSPECTED_DEBITS_MAX = 10_000;

export interface SuspectedDebit extends NotifiedDebit {
  /** Questions to the bank about it, this one included. */
  readonly asked: number;
  /** Answers of the bank that it knows no such movement. */
  readonly notFound: number;
  /** False: a transfer stands for it by now. */
  readonly isOrphan: boolean;
  /** The bank has confirmed it already, as another notification told it. */
  readonly isConfirmed: boolean;
}

const stageText = `
with told as (
  select * from jsonb_to_recordset($1::jsonb) as o (
    delivery_key text, movement_type text, origin_ids bigint[], movement_ids text[], network_ids text[],
    received_at timestamptz
  )
), held as (
  select s.delivery_key from told join giro.suspected_debit s using (delivery_key)
  union all select o.delivery_key from told join giro.orphan_debit o using (delivery_key)
), staged as (
  insert into giro.suspected_debit
    (delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at, ask_at)
  select t.delivery_key, t.movement_type, t.origin_ids, t.movement_ids, t.network_ids, t.received_at,
    case when t.origin_ids <> '{}' or t.network_ids <> '{}' then clock_timestamp() end
  from told t where t.delivery_key not in (select h.delivery_key from held h)
  limit (select greatest(0, $2::bigint - count(*)) from giro.suspected_debit)
  on conflict (delivery_key) do nothing
  returning delivery_key
)
select delivery_key from held union all select delivery_key from staged`;

/**
 * Holds debits of notifications for which no transfer is known, until the bank was asked. Once for each key, whatever is
 * repeated. The keys that are held, or were confirmed before; the others found no room.
 */
export async function stageDebits(
  { database }: JournalContext,
  debits: readonly NotifiedDebit[],
): Promise<ReadonlySet<string>> {
  if (debits.length === 0) return new Set();
  const records = debits.map((debit) => ({
    delivery_key: debit.deliveryKey,
    movement_type: debit.movementType,
    origin_ids: debit.originIds,
    movement_ids: debit.movementIds,
    network_ids: debit.networkIds,
    received_at: debit.receivedAt,
  }));
  const rows = await database.run<{ delivery_key: string }>({ name: 'stage-debits', text: stageText }, [
    ...[JSON.stringify(records), SUSPECTED_DEBITS_MAX],
  ]);
  return new Set(rows.map(({ delivery_key }) => delivery_key));
}

/** SQL: two rows may be about one movement, which is asked about by these ids. */
const shareAnId = (a: string, b: string): string =>
  `(${a}.origin_ids && ${b}.origin_ids or ${a}.network_ids && ${b}.network_ids)`;

/** Of several about one movement the first is asked for all: the others wait while it waits, and go on with its end. */
const leaseText = `
with ${STANDS_FOR}, due as (
  select s.id from giro.suspected_debit s
  where s.ask_at <= clock_timestamp() and not exists (
    select from giro.suspected_debit f
    where f.id <> s.id and f.ask_at is not null and ${shareAnId('f', 's')} and (f.asked > 0 or f.id < s.id)
      and (s.asked = 0 or f.id < s.id)
  )
  order by s.ask_at limit $1::integer
  for update skip locked
), leased as (
  update giro.suspected_debit s
  set ask_at = clock_timestamp() + make_interval(secs => $2::double precision / 1000), asked = s.asked + 1
  from due where s.id = due.id
  returning s.*
)
select o.*, ${NOBODY_STANDS_FOR} as is_orphan,
  exists (select from giro.orphan_debit k where ${shareAnId('k', 'o')}) as is_confirmed
from leased o order by o.id`;

interface Row {
  readonly delivery_key: string;
  readonly movement_type: string | null;
  readonly origin_ids: string[];
  readonly movement_ids: string[];
  readonly network_ids: string[];
  readonly received_at: Date;
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
  const rows = await database.run<Row>({ name: 'lease-suspected-debits', text: leaseText }, [limit, leaseMs]);
  return rows.map(toSuspected);
}

const confirmText = `
with confirmed as (
  delete from giro.suspected_debit where delivery_key = $1
  returning delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at
)
insert into giro.orphan_debit (delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at)
select * from confirmed
on conflict (delivery_key) do nothing
returning delivery_key`;

/** Writes down a debit that the bank confirms. Whether it is written by this call. */
export async function confirmDebit({ database }: JournalContext, deliveryKey: string): Promise<boolean> {
  return (await database.run({ name: 'confirm-debit', text: confirmText }, [deliveryKey])).length > 0;
}

const dropText = `
delete from giro.suspected_debit s using giro.suspected_debit d
where d.delivery_key = $1 and (s.id = d.id or ${shareAnId('s', 'd')})`;

/** Of a debit that the bank does not know, or for which a transfer stands: with all that tell of it by its ids. */
export async function dropSuspectedDebit({ database }: JournalContext, deliveryKey: string): Promise<void> {
  await database.run({ name: 'drop-suspected-debit', text: dropText }, [deliveryKey]);
}

const againText = `
update giro.suspected_debit
set ask_at = clock_timestamp() + make_interval(secs => $2::double precision / 1000),
  not_found = not_found + $3::integer
where delivery_key = $1`;

/** The bank is asked again after `afterMs`; `wasNotFound`: it has just said that it knows no such movement. */
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

/** The oldest of those that the bank has not confirmed; one that was notified several times is one. */
export async function suspectedDebits(
  { database }: JournalContext,
  {
    since,
    before,
    limit,
  }: { readonly since: string | null; readonly before: string | null; readonly limit: number },
): Promise<readonly SuspectedDebit[]> {
  const rows = await database.run<Row>({ name: 'suspected-debits', text: listText, replan: true }, [
    ...[since, before, limit],
  ]);
  return mergeSameDebits(rows.map(toSuspected));
}

const toSuspected = (row: Row): SuspectedDebit => ({
  deliveryKey: row.delivery_key,
  movementType: row.movement_type,
  originIds: row.origin_ids.map(toOriginId),
  movementIds: row.movement_ids,
  networkIds: row.network_ids,
  receivedAt: row.received_at.toISOString(),
  asked: row.asked,
  notFound: row.not_found,
  isOrphan: row.is_orphan,
  isConfirmed: row.is_confirmed,
});
