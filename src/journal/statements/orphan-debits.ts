import { isSameDebit } from '../../reconciliation/orphans';
import type { JournalContext } from '../context';
import type { MovementIds } from './transfers-of';
import { toOriginId } from '../rows';

export interface OrphanPage {
  /** First notified at this time or later; ISO UTC. */
  readonly since: string | null;
  /** And before this time. */
  readonly before: string | null;
  /** 0: from the first; otherwise `next` of the page before. */
  readonly after: number;
  /** Number of notifications to read; some may be no orphans. */
  readonly limit: number;
}

export interface OrphansOfPage {
  readonly debits: readonly NotifiedDebit[];
  /** Null: this was the last page. */
  readonly next: number | null;
}

/** A debit as one notification reports it. */
export interface NotifiedDebit extends MovementIds {
  /** Key of the notification; from the second debit of one notification on, followed by a number. */
  readonly deliveryKey: string;
  /** The bank's type, `[A-Z][A-Z0-9_]{0,63}`; null: absent or unreadable. */
  readonly movementType: string | null;
  /** ISO UTC. */
  readonly receivedAt: string;
}

/**
 * A transfer that has one of the ids explains the debit, unless the transfer is REFUSED or WITHDRAWN: then no money may
 * have gone out for it. If the bank reports a movement for such a transfer, an incident and a `STATE_MISMATCH` record
 * that, and the debit is not reported separately.
 */
export const STANDS_FOR = `
stands_for as not materialized (
  select t.origin_id from giro.transfer t left join giro.result r using (origin_id)
  where r.status is null or r.status not in ('REFUSED', 'WITHDRAWN')
)`;
export const NOBODY_STANDS_FOR = `
  not exists (select from stands_for s where s.origin_id = any(o.origin_ids))
  and not exists (
    select from giro.answer a join stands_for s using (origin_id) where a.movement_id = any(o.movement_ids)
  )
  and not exists (
    select from giro.answer a join stands_for s using (origin_id) where a.network_id = any(o.network_ids)
  )
  and not exists (
    select from giro.inquiry_answer i
    where i.incident_id is not null and i.fact in ('REFUSED_BUT_KNOWN', 'WITHDRAWN_BUT_KNOWN')
      and (i.movement_id = any(o.movement_ids) or (i.origin_id = any(o.origin_ids) and o.movement_ids = '{}'))
      and not exists (
        select from giro.inquiry_answer f where f.origin_id = i.origin_id and f.number > i.number and f.agrees
      )
  )`;

/**
 * A page includes all rows that share an id with one of its rows, so that a debit has its first notification and all
 * ids.
 */
const pageText = `
with ${STANDS_FOR}, page as (
  select o.* from giro.orphan_debit o
  where o.record_id > $3::bigint and ($1::timestamptz is null or o.received_at >= $1)
    and ($2::timestamptz is null or o.received_at < $2)
  order by o.record_id limit $4::integer
), near as (
  select p.record_id from page p
  union select n.record_id from page p join giro.orphan_debit n on n.origin_ids && p.origin_ids
  union select n.record_id from page p join giro.orphan_debit n on n.movement_ids && p.movement_ids
  union select n.record_id from page p join giro.orphan_debit n on n.network_ids && p.network_ids
)
select o.*, exists (select from page p where p.record_id = o.record_id) as in_page, free.is_orphan,
  (select count(*)::integer from page) as page_rows, (select max(p.record_id) from page p) as page_end
from giro.orphan_debit o join near using (record_id)
cross join lateral (select ${NOBODY_STANDS_FOR} as is_orphan) free
order by o.received_at, o.record_id`;

const COLUMNS = 'delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at';
const HAS_AN_ID = 'origin_ids && $1::bigint[] or movement_ids && $2::text[] or network_ids && $3::text[]';

const ofIdsText = `
with ${STANDS_FOR}, near as (
  select ${COLUMNS} from giro.orphan_debit where ${HAS_AN_ID}
  union all select ${COLUMNS} from giro.suspected_debit where ${HAS_AN_ID}
)
select o.* from near o where ${NOBODY_STANDS_FOR} order by o.received_at, o.delivery_key`;

/** A notified debit as both tables of debits have it. */
export interface DebitRow {
  readonly delivery_key: string;
  readonly movement_type: string | null;
  readonly origin_ids: string[];
  readonly movement_ids: string[];
  readonly network_ids: string[];
  readonly received_at: Date;
}

interface PageRow extends DebitRow {
  readonly in_page: boolean;
  readonly is_orphan: boolean;
  readonly page_rows: number;
  readonly page_end: string;
}

/**
 * Debits that no transfer explains now; several notifications of a debit count once, in the page and with the time of
 * the first.
 */
export async function orphanDebits(
  { database }: JournalContext,
  { since, before, after, limit }: OrphanPage,
): Promise<OrphansOfPage> {
  const rows = await database.run<PageRow>({ name: 'orphan-debits', text: pageText, replan: true }, [
    ...[since, before, after, limit],
  ]);
  const [first] = rows;
  const inPage = new Set(rows.filter((row) => row.in_page).map((row) => row.delivery_key));
  const debits = mergeSameDebits(rows.filter((row) => row.is_orphan).map(toDebit));
  return {
    debits: debits.filter(({ deliveryKey }) => inPage.has(deliveryKey)),
    next: first === undefined || first.page_rows < limit ? null : Number(first.page_end),
  };
}

/** Debits without a transfer that have one of these ids, including debits that the bank has not confirmed. */
export async function orphanDebitsOf(
  { database }: JournalContext,
  { originIds, movementIds, networkIds }: MovementIds,
): Promise<readonly NotifiedDebit[]> {
  const rows = await database.run<DebitRow>({ name: 'orphan-debits-of', text: ofIdsText, replan: true }, [
    ...[originIds, movementIds, networkIds],
  ]);
  return mergeSameDebits(rows.map(toDebit));
}

export const toDebit = (row: DebitRow): NotifiedDebit => ({
  deliveryKey: row.delivery_key,
  movementType: row.movement_type,
  originIds: row.origin_ids.map(toOriginId),
  movementIds: row.movement_ids,
  networkIds: row.network_ids,
  receivedAt: row.received_at.toISOString(),
});

/**
 * Merges the notifications of one debit, one for each of its states, into the first, with the ids of the later ones. If
 * network ids or our ids differ, the notifications are about two debits, even if other ids are equal.
 *
 * @param debits in order of arrival
 */
export function mergeSameDebits<Debit extends MovementIds>(debits: readonly Debit[]): Debit[] {
  const merged: Debit[] = [];
  const placesOf = new Map<string, number[]>();
  for (const debit of debits) {
    const near = keysOf(debit).flatMap((key) => placesOf.get(key) ?? []);
    const place = near.find((index) => merged[index] !== undefined && isSameDebit(merged[index], debit));
    const first = place === undefined ? undefined : merged[place];
    if (place === undefined || first === undefined) merged.push(debit);
    else merged[place] = { ...first, ...union(first, debit) };
    for (const key of keysOf(debit))
      placesOf.set(key, [...(placesOf.get(key) ?? []), place ?? merged.length - 1]);
  }
  return merged;
}

const keysOf = ({ originIds, movementIds, networkIds }: MovementIds): string[] => [
  ...originIds.map((id) => `origin ${id}`),
  ...networkIds.map((id) => `network ${id}`),
  ...movementIds.map((id) => `movement ${id}`),
];

const union = (a: MovementIds, b: MovementIds): MovementIds => ({
  originIds: [...new Set([...a.originIds, ...b.originIds])],
  movementIds: [...new Set([...a.movementIds, ...b.movementIds])],
  networkIds: [...new Set([...a.networkIds, ...b.networkIds])],
});
