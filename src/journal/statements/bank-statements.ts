import type { KeyRing } from '../../codec/key-ring';
import type { TransferOrder } from '../../domain/order';
import type { StatementLine } from '../../reconciliation/books';
import type { TransferIds } from '../../reconciliation/statement/match-lines';
import type { StatementSummary } from '../../reconciliation/statement/statement-sums';
import { suggestionWindow } from '../../reconciliation/statement/suggest';
import { openText, readable, sealText } from '../ciphers';
import type { JournalContext } from '../context';
import { toIso, toOriginId } from '../rows';
import type { TransferRow } from '../rows';
import { names } from './run-transfers';
import type { IdColumn } from './run-transfers';

export interface TimePage {
  readonly asOf: string;
  readonly statementId: number;
  /** `openedAt` as the journal writes it, to the microsecond. */
  readonly after: { readonly openedAt: string; readonly originId: number } | null;
  readonly limit: number;
}

export interface OrdinalLine extends StatementLine {
  readonly ordinal: number;
}
export interface UnmatchedDebit extends OrdinalLine {
  /** False: the line's counterparty does not open: its key is not in the ring, or the row was altered. */
  readonly isReadable: boolean;
}
export interface MatchedLine {
  readonly originId: number;
  readonly line: StatementLine;
  /** False: the line's counterparty does not open: its key is not in the ring, or the row was altered. */
  readonly isReadable: boolean;
}
export interface SuggestibleTransfer {
  readonly originId: number;
  readonly order: TransferOrder;
  readonly openedAt: string;
}

const beginText = 'select giro.begin_statement() as id';

export async function beginStatement({ database }: JournalContext): Promise<number> {
  const [row] = await database.run<{ id: string }>({ name: 'begin-statement', text: beginText }, []);
  return Number(row?.id);
}

const linesText = `
insert into giro.statement_line (statement_id, line, ordinal, origin_id, movement_id, network_id, direction, amount,
  currency, booked_at, account, counterparty)
select $1::bigint, l.line, l.ordinal, l."originId", l."movementId", l."networkId", l.direction,
  (l.amount ->> 'value')::numeric, l.amount ->> 'currency', l."bookedAt", l.account, l.counterparty
from jsonb_to_recordset($2::jsonb) as l (
  line integer, ordinal integer, "originId" bigint, "movementId" text, "networkId" text, direction text, amount jsonb,
  "bookedAt" timestamptz, account text, counterparty text
)`;

const place = (statementId: number, line: number): string =>
  `giro/journal/statement/${String(statementId)}/${String(line)}`;

export async function addLines(
  { database, keyRing }: JournalContext,
  statementId: number,
  lines: readonly OrdinalLine[],
): Promise<void> {
  const rows = lines.map(({ counterpartyAccount, ...line }) => ({
    ...line,
    counterparty:
      counterpartyAccount === null || keyRing === null
        ? counterpartyAccount
        : sealText(keyRing, place(statementId, line.line), counterpartyAccount),
  }));
  await database.run({ name: 'add-statement-lines', text: linesText }, [statementId, JSON.stringify(rows)]);
}

const endText = `
insert into giro.statement_end (statement_id, sha256, summary) values ($1::bigint, $2, $3::jsonb)
on conflict (statement_id) do nothing`;

/** Marks the statement complete: from now on runs may use it. */
export async function endStatement(
  { database }: JournalContext,
  statementId: number,
  summary: StatementSummary,
): Promise<void> {
  await database.run({ name: 'end-statement', text: endText }, [
    ...[statementId, summary.sha256, JSON.stringify(summary)],
  ]);
}

const oneText = 'select s.summary from giro.statement_end s where s.statement_id = $1::bigint';

export async function statement(
  { database }: JournalContext,
  statementId: number,
): Promise<StatementSummary | null> {
  const [row] = await database.run<{ summary: StatementSummary }>({ name: 'statement', text: oneText }, [
    statementId,
  ]);
  return row?.summary ?? null;
}

const wholeText = `
select (select count(*) from giro.statement_line l where l.statement_id = s.statement_id)
  = (s.summary ->> 'bookings')::bigint as is_whole
from giro.statement_end s where s.statement_id = $1::bigint`;

/** False: some lines of the statement are deleted, so a missing line proves nothing. */
export async function hasAllLines({ database }: JournalContext, statementId: number): Promise<boolean> {
  const [row] = await database.run<{ is_whole: boolean }>({ name: 'statement-is-whole', text: wholeText }, [
    statementId,
  ]);
  return row?.is_whole === true;
}

const pageText = `
select l.* from giro.statement_line l where l.statement_id = $1::bigint and l.line > $2::integer
order by l.line limit $3::integer`;

const unmatchedText = `
select l.* from giro.statement_line l
where l.statement_id = $1::bigint and l.line > $2::integer and l.direction = 'debit'
  and not exists (select from giro.statement_match m where m.as_of = $4 and m.line = l.line)
order by l.line limit $3::integer`;

const linesOfText = `
select m.origin_id as matched_to, l.* from giro.statement_match m
join giro.statement_line l on l.statement_id = $2::bigint and l.line = m.line
where m.as_of = $1 and m.origin_id = any($3::bigint[])
order by m.origin_id, l.line`;

interface LineRow {
  readonly statement_id: string;
  readonly line: number;
  readonly ordinal: number;
  readonly origin_id: string | null;
  readonly movement_id: string | null;
  readonly network_id: string | null;
  readonly direction: StatementLine['direction'];
  readonly amount: string;
  readonly currency: string;
  readonly booked_at: Date;
  readonly account: string | null;
  readonly counterparty: string | null;
}

/** By line. */
export async function statementPage(
  { database, keyRing }: JournalContext,
  { statementId, after, limit }: { statementId: number; after: number; limit: number },
): Promise<readonly OrdinalLine[]> {
  const rows = await database.run<LineRow>({ name: 'statement-page', text: pageText }, [
    ...[statementId, after, limit],
  ]);
  return rows.map((row) => toLine(row, keyRing));
}

/** Debits of the statement that match no transfer. */
export async function unmatchedDebits(
  { database, keyRing }: JournalContext,
  page: { asOf: string; statementId: number; after: number; limit: number },
): Promise<readonly UnmatchedDebit[]> {
  const rows = await database.run<LineRow>({ name: 'unmatched-debits', text: unmatchedText }, [
    ...[page.statementId, page.after, page.limit, page.asOf],
  ]);
  return rows.map((row) => {
    const line = toLine(row, keyRing);
    return { ...line, isReadable: isReadable(row, line) };
  });
}

/** The lines of these transfers in a run. */
export async function linesOf(
  { database, keyRing }: JournalContext,
  asOf: string,
  statementId: number,
  originIds: readonly number[],
): Promise<readonly MatchedLine[]> {
  const rows = await database.run<LineRow & { readonly matched_to: string }>(
    { name: 'statement-lines-of', text: linesOfText },
    [asOf, statementId, originIds],
  );
  return rows.map((row) => {
    const line = toLine(row, keyRing);
    return {
      originId: toOriginId(row.matched_to),
      ...{ line, isReadable: isReadable(row, line) },
    };
  });
}

const isReadable = ({ counterparty }: LineRow, { counterpartyAccount }: StatementLine): boolean =>
  counterparty === null || counterpartyAccount !== null;

function toLine(row: LineRow, ring: KeyRing | null): OrdinalLine {
  const { line, ordinal, direction, counterparty } = row;
  return {
    ...{ line, ordinal, direction },
    originId: row.origin_id === null ? null : toOriginId(row.origin_id),
    movementId: row.movement_id,
    networkId: row.network_id,
    amount: { currency: row.currency, value: row.amount },
    bookedAt: toIso(row.booked_at),
    account: row.account,
    counterpartyAccount:
      counterparty === null || /^\d{22}$/.test(counterparty)
        ? counterparty
        : ring === null
          ? null
          : readable(() => openText(ring, place(Number(row.statement_id), line), counterparty)),
  };
}

/** Transfers whose answers have one of these ids, by its index. */
const byId = (column: IdColumn, ids: string): string => `
  select distinct a.origin_id, a.${column}
  from giro.answer a left join giro.result e on e.origin_id = a.origin_id
  where a.${column} = any(${ids}::text[]) and ${names('a', 'e.result', column)}`;

/** A row for each of a transfer's ids. */
const knownText = `
select t.origin_id, null as movement_id, null as network_id from giro.transfer t where t.origin_id = any($1::bigint[])
union all
select k.origin_id, k.movement_id, null from (${byId('movement_id', '$2')}) k
union all
select k.origin_id, null, k.network_id from (${byId('network_id', '$3')}) k`;

/** Transfers that have an id of one of these lines. */
export async function transfersOfLines(
  { database }: JournalContext,
  lines: readonly StatementLine[],
): Promise<readonly TransferIds[]> {
  const ids = <T>(values: readonly (T | null)[]): T[] => values.filter((value) => value !== null);
  const rows = await database.run<{
    readonly origin_id: string;
    readonly movement_id: string | null;
    readonly network_id: string | null;
  }>({ name: 'transfers-of-lines', text: knownText }, [
    ids(lines.map(({ originId }) => originId)),
    ids(lines.map(({ movementId }) => movementId)),
    ids(lines.map(({ networkId }) => networkId)),
  ]);
  return rows.map(({ origin_id, movement_id: movementId, network_id: networkId }) => ({
    originId: toOriginId(origin_id),
    ...{ movementId, networkId },
  }));
}

const matchText = `
with wanted as (
  select m.line, m."originId" as origin_id from jsonb_to_recordset($2::jsonb) as m (line integer, "originId" bigint)
), listed as (
  insert into giro.reconciliation_item (as_of, origin_id) select distinct $1::timestamptz, w.origin_id from wanted w
  on conflict do nothing
)
insert into giro.statement_match (as_of, line, origin_id) select $1, w.line, w.origin_id from wanted w
on conflict (as_of, line) do nothing`;

/** Records for a run which line belongs to which transfer, and adds these transfers to the run's list. */
export async function recordMatches(
  { database }: JournalContext,
  asOf: string,
  matches: readonly { readonly line: number; readonly originId: number }[],
): Promise<void> {
  await database.run({ name: 'record-matches', text: matchText }, [asOf, JSON.stringify(matches)]);
}

/** Ordered by opening, then originId; returns the last of the page. */
const ofTimeText = `
with page as (
  select t.origin_id, t.opened_at from giro.statement_end s join giro.transfer t
    on t.opened_at >= (s.summary -> 'period' ->> 'from')::timestamptz
    and t.opened_at <= (s.summary -> 'period' ->> 'to')::timestamptz
  join giro.reconciliation r on r.as_of = $1 and t.opened_at < r.to_at + interval '1 second'
  where s.statement_id = $2::bigint and s.summary -> 'accounts' <> 'null'
    and ($3::timestamptz is null or (t.opened_at, t.origin_id) > ($3::timestamptz, $4::bigint))
  order by t.opened_at, t.origin_id limit $5::integer
), listed as (
  insert into giro.reconciliation_item (as_of, origin_id)
  select $1::timestamptz, p.origin_id from page p join giro.result e using (origin_id) where e.status = 'COMPLETED'
  on conflict do nothing
)
select (select count(*)::integer from page) as rows, p.origin_id, p.opened_at::text as opened_at
from page p order by p.opened_at desc, p.origin_id desc limit 1`;

/**
 * Adds to the run's list the COMPLETED transfers that were opened in the statement's period. Adds none if the
 * statement's accounts are unknown. Returns where the next page begins; null: this was the last page.
 */
export async function listTimeOfStatement(
  { database }: JournalContext,
  { asOf, statementId, after, limit }: TimePage,
): Promise<TimePage['after']> {
  const [last] = await database.run<{ rows: number; origin_id: string; opened_at: string }>(
    { name: 'list-time-of-statement', text: ofTimeText, replan: true },
    [asOf, statementId, after?.openedAt ?? null, after?.originId ?? null, limit],
  );
  if (last === undefined || last.rows < limit) return null;
  return { openedAt: last.opened_at, originId: toOriginId(last.origin_id) };
}

/**
 * Ended transfers have their amount in clear in the result, so an index finds the nearest ones of that amount, even
 * among very many. Open transfers are few: this takes the latest. Transfers with a line of this run are already
 * matched.
 */
const nearest = (side: 'before' | 'after'): string => `
  (select e.origin_id from giro.result e
    where e.result #>> '{amount,value}' = l.value
      and ${
        side === 'before'
          ? 'e.recorded_at <= l."bookedAt" and e.recorded_at >= l."from"'
          : `e.recorded_at > l."bookedAt" and e.recorded_at <= l."to" + interval '3 days'`
      }
      and not exists (select from giro.statement_match m where m.as_of = $2 and m.origin_id = e.origin_id)
    order by e.recorded_at ${side === 'before' ? 'desc' : 'asc'} limit $3::integer)`;
const suggestibleText = `
with line as (
  select * from jsonb_to_recordset($1::jsonb) as l (
    value text, "bookedAt" timestamptz, "from" timestamptz, "to" timestamptz
  )
), near as (
  select c.origin_id from line l cross join lateral (${nearest('before')} union all ${nearest('after')}) c
  union
  (select t.origin_id from giro.open_transfer o join giro.transfer t using (origin_id)
    where t.opened_at >= (select min(l."from") from line l) and t.opened_at <= (select max(l."to") from line l)
      and not exists (select from giro.statement_match m where m.as_of = $2 and m.origin_id = t.origin_id)
    order by t.opened_at desc limit $4::integer)
)
select t.origin_id, t.order_json, t.opened_at from near join giro.transfer t using (origin_id)`;

/** Limit for one amount, on either side of a booking. */
const NEAREST_MAX = 20;
const OPEN_MAX = 1_000;

/**
 * Transfers without a line of this run that are near one of these lines, by amount and time or because they are open.
 */
export async function suggestible(
  { database, orders }: JournalContext,
  { asOf, lines }: { asOf: string; lines: readonly StatementLine[] },
): Promise<readonly SuggestibleTransfer[]> {
  if (lines.length === 0) return [];
  const wanted = lines.map(({ amount, bookedAt }) => ({
    ...{ value: amount.value, bookedAt },
    ...suggestionWindow(bookedAt),
  }));
  const rows = await database.run<Pick<TransferRow, 'origin_id' | 'order_json' | 'opened_at'>>(
    { name: 'suggestible-transfers', text: suggestibleText, replan: true },
    [JSON.stringify(wanted), asOf, NEAREST_MAX, OPEN_MAX],
  );
  return rows.flatMap(({ origin_id, order_json, opened_at }) => {
    const originId = toOriginId(origin_id);
    const order = readable(() => orders.openOrder(order_json, originId));
    // The order does not open, so nothing shows whether the line may belong to this transfer. The run continues without
    // it.
    return order === null ? [] : [{ originId, order, openedAt: toIso(opened_at) }];
  });
}
