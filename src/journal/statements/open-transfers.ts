import { withProof } from '../../domain/order';
import type { ProvenOrder } from '../../domain/order';
import { readable } from '../ciphers';
import type { Database, JournalContext } from '../context';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';
import { doubtBindings } from './lost-references';

/** A position in the cycle, which is ordered by originId. */
export interface Turn {
  readonly originId: number;
  /** Time since the last claim of a request, or, without one, since the receipt; by the journal's clock. */
  readonly quietMs: number;
}

export interface TurnPage {
  /** The last position of the page before; null: this is the first page. */
  readonly after: Pick<Turn, 'originId'> | null;
  /** `began` of the cycle's first page; null: this is the first page. */
  readonly began: string | null;
  readonly limit: number;
}

export interface TurnsTaken {
  /** The originId after which the cycle began, as text. */
  readonly began: string;
  readonly turns: readonly Turn[];
}

export interface UnfinishedTransfer {
  /** With its proof. Null: the order does not open: its key is not available, or the row was altered. */
  readonly order: ProvenOrder | null;
  /**
   * The journal may have lost requests of the transfer (`giro.doubt`): Temporal may know an end that the journal lost.
   */
  readonly isDoubted: boolean;
}

const placeText = 'select origin_id from giro.recovery_place';

const pageText = `
select o.origin_id, (extract(epoch from clock_timestamp() - coalesce(
    (select r.claimed_at from giro.request r where r.origin_id = o.origin_id order by r.number desc limit 1),
    o.opened_at)) * 1000)::float8 as quiet_ms
from giro.open_transfer o
where o.origin_id > $1::bigint and o.origin_id <= $2::bigint
order by o.origin_id limit $3::integer`;

/**
 * A page of the open transfers, least recently checked first: those above the originId that was checked last before the
 * cycle, then from the lowest up to that originId.
 */
export async function leastRecentlyCheckedTransfers(
  { database }: JournalContext,
  { after, began, limit }: TurnPage,
): Promise<TurnsTaken> {
  const between = async (from: number, to: number, count: number): Promise<readonly Turn[]> => {
    const rows = await database.run<Pick<TransferRow, 'origin_id'> & { readonly quiet_ms: number }>(
      { name: 'least-recently-checked-transfers', text: pageText, replan: true },
      [from, to, count],
    );
    return rows.map((row) => ({ originId: toOriginId(row.origin_id), quietMs: row.quiet_ms }));
  };
  const start = began === null ? await recoveryPlace(database) : Number(began);
  const last = after?.originId ?? start;
  const hasBegunAnew = after !== null && last <= start;
  const rest = hasBegunAnew ? [] : await between(last, Number.MAX_SAFE_INTEGER, limit);
  const anew = rest.length < limit ? await between(hasBegunAnew ? last : 0, start, limit - rest.length) : [];
  return { began: String(start), turns: [...rest, ...anew] };
}

async function recoveryPlace(database: Database): Promise<number> {
  const [row] = await database.run<Pick<TransferRow, 'origin_id'>>(
    { name: 'recovery-place', text: placeText },
    [],
  );
  return row === undefined ? 0 : toOriginId(row.origin_id);
}

const markText = 'update giro.recovery_place set origin_id = $1::bigint';

/** Marks these transfers as checked: the next cycle begins after the last one. */
export async function markTransfersChecked(
  { database }: JournalContext,
  originIds: readonly number[],
): Promise<void> {
  const last = originIds.at(-1);
  if (last !== undefined) await database.run({ name: 'mark-checked', text: markText }, [last]);
}

const oneText = `
select t.order_json, t.proof,
  exists (select from giro.doubt x where x.origin_id = t.origin_id) as is_doubted
from giro.transfer t
where t.origin_id = $1::bigint and not exists (select from giro.result e where e.origin_id = t.origin_id)`;

/** Null: ended, or unknown. */
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

const lossText = `
insert into giro.doubt (origin_id, reason)
select t.origin_id, 'requests-lost' from giro.transfer t
where t.origin_id = $1::bigint and not exists (select from giro.result e where e.origin_id = t.origin_id)
  and not exists (select from giro.doubt x where x.origin_id = t.origin_id)`;

/**
 * Records that requests of an open transfer may be lost: from now on Giro asks about it and sends no create. A repeat
 * writes nothing.
 */
export async function recordLostRequests({ database }: JournalContext, originId: number): Promise<void> {
  await database.run({ name: 'record-lost-requests', text: lossText }, [originId]);
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

/**
 * From now on Giro sends no create of a transfer that is open now, not even by a decision of operators. Bindings of
 * references are read from Temporal again.
 */
export async function recordRestoration(context: JournalContext): Promise<void> {
  const { database } = context;
  await doubtBindings(context);
  for (let after: string | null = '0'; after !== null;) {
    const [row]: { readonly last: string | null }[] = await database.run<{ readonly last: string | null }>(
      { name: 'record-restoration', text: restorationText, replan: true },
      [after, RESTORATION_PAGE],
    );
    after = row?.last ?? null;
  }
}
