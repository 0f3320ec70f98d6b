import type { Break, BreakState } from '../../reconciliation/break';
import type { BreakChange, KnownBreak, WrittenBreak } from '../../reconciliation/break-life';
import { mergeTalliesBy } from '../../reconciliation/tally';
import type { BreakTallies, TalliesBy } from '../../reconciliation/tally';
import type { JournalContext } from '../context';
import { JournalStatementError } from '../errors';
import { toIso, toOriginId, toOriginIds } from '../rows';
import type { TransferRow } from '../rows';

export interface BreakHistoryLine {
  readonly kind: BreakChange['kind'];
  readonly state: BreakState;
  readonly at: string;
  readonly asOf: string | null;
  readonly operator: string | null;
  readonly note: string | null;
}

export interface BreakFilter {
  /** Only open and acknowledged breaks. */
  readonly unresolved: boolean;
  readonly class: string | null;
  /** First seen before this time; ISO UTC. */
  readonly firstSeenBefore: string | null;
  readonly after: { readonly firstSeen: string; readonly key: string } | null;
  readonly limit: number;
}

export interface BoundPage {
  readonly from: string;
  readonly to: string;
  readonly after: number;
  readonly limit: number;
}

const knownText = `
select b.version, b.break from giro.break b where b.key = any($1::text[])
union
select b.version, b.break from giro.break b where b.origin_id = any($2::bigint[])`;

/** Breaks with one of the keys, or of one of the transfers. */
export async function knownBreaks(
  { database }: JournalContext,
  { keys, originIds }: { readonly keys: readonly string[]; readonly originIds: readonly number[] },
): Promise<readonly KnownBreak[]> {
  return database.run<KnownRow>({ name: 'known-breaks', text: knownText }, [keys, originIds]);
}

const missingText = `
select distinct b.origin_id from giro.break b
where b.class = 'MISSING_IN_JOURNAL' and b.state <> 'resolved' and b.origin_id > $1::bigint
order by b.origin_id limit $2::integer`;

/** originIds of breaks `MISSING_IN_JOURNAL` that are not resolved, after `after`, each once. */
export async function missingInJournal(
  { database }: JournalContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  const rows = await database.run<Pick<TransferRow, 'origin_id'>>(
    { name: 'missing-in-journal', text: missingText },
    [...[after, limit]],
  );
  return toOriginIds(rows);
}

const unseenText = `
select b.version, b.break from giro.break b
where b.class = 'ORPHAN_AT_BANK' and b.state <> 'resolved'
  and b.break ->> 'lastSeen' < $1::text and b.key > $2::text
order by b.key limit $3::integer`;

/** Unresolved debits without an order that no run of this asOf or later has seen; by key. */
export async function unseenOrphans(
  { database }: JournalContext,
  { asOf, after, limit }: { readonly asOf: string; readonly after: string; readonly limit: number },
): Promise<readonly KnownBreak[]> {
  return database.run<KnownRow>({ name: 'unseen-orphans', text: unseenText, replan: true }, [
    ...[asOf, after, limit],
  ]);
}

interface KnownRow {
  readonly version: number;
  readonly break: Break;
}

const listText = `
select b.break from giro.break b
where (not $1::boolean or b.state <> 'resolved')
  and ($2::text is null or b.class = $2::text)
  and ($3::text is null or b.first_seen < $3::text)
  and ($4::text is null or (b.first_seen, b.key) > ($4::text, $5::text))
order by b.first_seen, b.key limit $6::integer`;

/** Oldest first. */
export async function breaks({ database }: JournalContext, filter: BreakFilter): Promise<readonly Break[]> {
  const rows = await database.run<{ break: Break }>({ name: 'breaks', text: listText, replan: true }, [
    ...[filter.unresolved, filter.class, filter.firstSeenBefore],
    ...[filter.after?.firstSeen ?? null, filter.after?.key ?? null, filter.limit],
  ]);
  return rows.map((row) => row.break);
}

const historyText = `
select c.kind, c.state, c.operator, c.note, c.as_of, c.recorded_at
from giro.break_change c where c.key = $1 order by c.version`;

interface ChangeRow {
  readonly kind: BreakHistoryLine['kind'];
  readonly state: BreakHistoryLine['state'];
  readonly operator: string | null;
  readonly note: string | null;
  readonly as_of: Date | null;
  readonly recorded_at: Date;
}

export async function breakHistory(
  { database }: JournalContext,
  key: string,
): Promise<readonly BreakHistoryLine[]> {
  const rows = await database.run<ChangeRow>({ name: 'break-history', text: historyText }, [key]);
  return rows.map(({ kind, state, operator, note, as_of, recorded_at }) => ({
    ...{ kind, state, operator, note, at: toIso(recorded_at) },
    asOf: as_of === null ? null : toIso(as_of),
  }));
}

const changeText = `
with written as (
  update giro.break b set version = $2::integer, break = $3::jsonb where b.key = $1::text
  returning b.key, b.version, b.state
)
insert into giro.break_change (key, version, kind, state, severity, operator, note)
select w.key, w.version, $4::text, w.state, $3::jsonb ->> 'severity', $5::text, $6::text from written w`;

/** Writes an operator's change of a break. False: somebody else changed the break meanwhile. */
export async function changeBreak({ database }: JournalContext, written: WrittenBreak): Promise<boolean> {
  const { version, change } = written;
  if (change === null) return true;
  try {
    await database.run({ name: 'change-break', text: changeText }, [
      ...[written.break.key, version, JSON.stringify(written.break), change.kind],
      ...[change.operator, change.note],
    ]);
    return true;
  } catch (error) {
    // The guard: another session wrote the next version first.
    if (error instanceof JournalStatementError && error.sqlState === 'GR001') return false;
    throw error;
  }
}

const unknownText = `
select w.origin_id from unnest($1::bigint[]) as w (origin_id)
where not exists (select from giro.transfer t where t.origin_id = w.origin_id)`;

/** The originIds among these that have no transfer in the journal. */
export async function unknownOriginIds(
  { database }: JournalContext,
  originIds: readonly number[],
): Promise<readonly number[]> {
  const rows = await database.run<Pick<TransferRow, 'origin_id'>>(
    { name: 'unknown-origin-ids', text: unknownText },
    [originIds],
  );
  return toOriginIds(rows);
}

/**
 * The references bound after that of `$3`, oldest first. Returns those without a transfer, and the last reference that
 * was read.
 */
const boundText = `
with page as (
  select x.origin_id, x.bound_at from giro.reference x
  where x.bound_at >= $1 and x.bound_at < $2::timestamptz + interval '1 second'
    and (x.bound_at, x.origin_id)
      > (coalesce((select l.bound_at from giro.reference l where l.origin_id = $3::bigint), '-infinity'), $3::bigint)
  order by x.bound_at, x.origin_id limit $4::integer
)
select count(*)::integer as read, (array_agg(p.origin_id order by p.bound_at desc, p.origin_id desc))[1] as last,
  coalesce(array_agg(p.origin_id order by p.bound_at, p.origin_id) filter (where t.origin_id is null), '{}') as lost
from page p left join giro.transfer t using (origin_id)`;

interface BoundRow {
  readonly read: number;
  /** Null: no reference was read. */
  readonly last: string | null;
  readonly lost: string[];
}

/** Nearly all references have their transfer, so this reads many to find few. */
const REFERENCES_AT_ONCE = 5_000;

/**
 * originIds without a transfer that were bound to a reference in the window, after that of `after` (0: from the first).
 */
export async function boundWithoutTransfer(
  { database }: JournalContext,
  { from, to, after, limit }: BoundPage,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let last: string | null = String(after); last !== null && found.length < limit;) {
    const [page]: BoundRow[] = await database.run<BoundRow>(
      { name: 'bound-without-transfer', text: boundText, replan: true },
      [from, to, last, REFERENCES_AT_ONCE],
    );
    if (page === undefined) throw new Error('an aggregate answered no row');
    found.push(...page.lost.map(toOriginId));
    last = page.read < REFERENCES_AT_ONCE ? null : page.last;
  }
  return found.slice(0, limit);
}

/** Like `tallyBreaks`, but in the database, because there may be many breaks. */
const talliesText = `
select l.class, l.severity, count(*)::integer as count, coalesce(sum(l.pesos), 0)::numeric(30, 2)::text as amount
from (
  select distinct on (s.key) s.break ->> 'class' as class, s.break ->> 'severity' as severity,
    s.break ->> 'state' as state,
    case when s.break #>> '{amount,currency}' = '032' then (s.break #>> '{amount,value}')::numeric end as pesos
  from giro.break_seen s where s.as_of = $1 order by s.key, s.step desc
) l
where l.state <> 'resolved' group by l.class, l.severity`;

interface TallyRow {
  readonly class: string;
  readonly severity: string;
  readonly count: number;
  readonly amount: string;
}

/** The unresolved breaks of a run so far, each as its last step saw it, counted and summed. */
export async function seenTallies({ database }: JournalContext, asOf: string): Promise<BreakTallies> {
  const rows = await database.run<TallyRow>({ name: 'seen-tallies', text: talliesText }, [asOf]);
  const by = (name: 'class' | 'severity'): TalliesBy =>
    rows.reduce<TalliesBy>(
      (tallies, { count, amount, ...row }) => mergeTalliesBy(tallies, { [row[name]]: { count, amount } }),
      {},
    );
  return { byClass: by('class'), bySeverity: by('severity') };
}
