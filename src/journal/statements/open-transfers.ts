import { withProof } from '../../domain/order';
import type { ProvenOrder } from '../../domain/order';
import { readable } from '../ciphers';
import type { JournalContext } from '../context';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';

/** A place in the turns. The time is PostgreSQL's own text, to the microsecond. */
export interface Turn {
  readonly lookedAt: string;
  readonly originId: number;
}

export interface TurnPage {
  readonly after: Turn | null;
  /** `takenAt` of a walk's first page: what was looked at since is not met again. Null: now. */
  readonly notSince: string | null;
  readonly limit: number;
}

export interface TurnsTaken {
  readonly takenAt: string;
  readonly turns: readonly Turn[];
}

export interface UnfinishedTransfer {
  /** With the proof that it came with. Null: it cannot be read, the key that sealed it is not at hand. */
  readonly order: ProvenOrder | null;
  /** The journal may have lost requests of it (`giro.doubt`): the engine may know an end that the journal lost. */
  readonly isDoubted: boolean;
}

const pageText = `
with taken as (select coalesce($3::timestamptz, clock_timestamp()) as at)
select taken.at::text as taken_at, o.looked_at::text as looked_at, o.origin_id
from taken left join lateral (
  select * from giro.open_transfer o
  where o.looked_at < taken.at
    and (o.looked_at, o.origin_id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::bigint, 0))
  order by o.looked_at, o.origin_id limit $4::integer
) o on true
order by o.looked_at, o.origin_id`;

interface Row {
  readonly taken_at: string;
  /** Null in the only row of an empty page. */
  readonly looked_at: string | null;
  readonly origin_id: string | null;
}

/** The open transfers whose last look is longest ago, after `after` and before `notSince`. */
export async function openTransfersInTurn(
  { database }: JournalContext,
  { after, notSince, limit }: TurnPage,
): Promise<TurnsTaken> {
  const rows = await database.run<Row>({ name: 'open-transfers-in-turn', text: pageText, replan: true }, [
    after?.lookedAt ?? null,
    after?.originId ?? null,
    notSince,
    limit,
  ]);
  return {
    takenAt: rows[0]?.taken_at ?? '',
    turns: rows.flatMap(({ looked_at: lookedAt, origin_id: id }) =>
      lookedAt === null || id === null ? [] : [{ lookedAt, originId: toOriginId(id) }],
    ),
  };
}

const markText = `
update giro.open_transfer set looked_at = clock_timestamp() where origin_id = any($1::bigint[])`;

/** They have been looked at now, and are last in turn. One that has ended meanwhile is passed over. */
export async function markLookedAt(
  { database }: JournalContext,
  originIds: readonly number[],
): Promise<void> {
  await database.run({ name: 'mark-looked-at', text: markText }, [originIds]);
}

const oneText = `
select t.order_json, t.proof,
  exists (select from giro.doubt x where x.origin_id = t.origin_id) as is_doubted
from giro.transfer t
where t.origin_id = $1::bigint and not exists (select from giro.result e where e.origin_id = t.origin_id)`;

/** Null: it has ended, or is not known. */
export async function unfinishedTransfer(
  { database, orders }: JournalContext,
  originId: number,
): Promise<UnfinishedTransfer | null> {
  const [row] = await database.run<
    Pick<TransferRow, 'order_json' | 'proof'> & { readonly is_doubted: boolean }
  >({ name: 'unfinished-transfer', text: oneText }, [originId]);
  if (row === undefined) return null;
  const order = readable(() => withProof(orders.openOrder(row.order_json, originId), row.proof));
  return { order, isDoubted: row.is_doubted };
}

/** Each doubt takes the lock of its transfer, and a server has room for some thousands of locks. */
const RESTORATION_PAGE = 1_000;

const restorationText = `
with page as (
  select o.origin_id from giro.open_transfer o where o.origin_id > $1::bigint order by o.origin_id limit $2::integer
), doubted as (
  insert into giro.doubt (origin_id, reason) select p.origin_id, 'restored' from page p
)
select max(p.origin_id) as last from page p`;

/** From now on nothing is sent by itself for transfers that were opened before. */
export async function recordRestoration({ database }: JournalContext): Promise<void> {
  for (let after: string | null = '0'; after !== null;) {
    const [row]: { readonly last: string | null }[] = await database.run<{ readonly last: string | null }>(
      { name: 'record-restoration', text: restorationText, replan: true },
      [after, RESTORATION_PAGE],
    );
    after = row?.last ?? null;
  }
}
