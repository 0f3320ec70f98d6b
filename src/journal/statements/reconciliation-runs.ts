import type { Break } from '../../reconciliation/break';
import type { WrittenBreak } from '../../reconciliation/break-life';
import { inOrder } from '../../reconciliation/break';
import type {
  ChainLink,
  ControlTotals,
  NewReport,
  NotAsked,
  Report,
  ReportHead,
} from '../../reconciliation/report';
import type { Cursor } from '../../reconciliation/run-cursor';
import { toSecond } from '../../reconciliation/run-window';
import type { RunWindow } from '../../reconciliation/run-window';
import type { Database, JournalContext } from '../context';
import { JournalStatementError } from '../errors';
import type { ReconciliationRow } from '../rows';
import { CHAIN_JSON, chainReport } from './report-chain';

export type OpenedRun =
  | { readonly kind: 'open'; readonly window: RunWindow }
  | { readonly kind: 'ended'; readonly report: ReportHead };

export interface StepOutcome {
  readonly totals: ControlTotals;
  readonly notAskedCount: number;
  /** The first items that could not be checked. */
  readonly notAsked: readonly NotAsked[];
  readonly opened: number;
  readonly resolved: number;
  readonly checked: number;
  /** Where the next step continues; null: the run is complete. */
  readonly next: Cursor | null;
  /** The bank did not answer, or its rate left no turn: the next step gives up sooner. */
  readonly isBankAway: boolean;
}

export interface NewStep {
  readonly asOf: string;
  readonly step: number;
  readonly outcome: StepOutcome;
  readonly checked: readonly CheckedTransfer[];
  /** Everything that the step could not check. */
  readonly notAsked: readonly NotAsked[];
  readonly breaks: readonly WrittenBreak[];
  /** The breaks as this run's report lists them. */
  readonly seen: readonly Break[];
}

export interface CheckedTransfer {
  readonly originId: number;
  readonly source: 'asked' | 'recorded' | 'not-asked';
  readonly evidenceSha256: string | null;
  readonly confirmed: boolean;
}

export interface RunProgress {
  readonly total: number;
  readonly checked: number;
  readonly ended: boolean;
}

/** Runs ask about finals younger than this, until one run has confirmed them: the bank answered and the books agree. */
export const UNCONFIRMED_DAYS = 30;

/**
 * SQL: a run has confirmed the result `e`. A REFUSED needs a run that began at least a day after the end: by then a
 * late booking would show.
 */
export const IS_CONFIRMED = `exists (
  select from giro.reconciled c join giro.reconciliation d using (as_of)
  where c.confirmed and c.origin_id = e.origin_id
    and (e.status is distinct from 'REFUSED' or d.started_at >= e.recorded_at + interval '1 day')
)`;

const openText = `
insert into giro.reconciliation (as_of, from_at, to_at, is_default_window, statement_id)
values ($1, $2, $3, $4, $5::bigint)
on conflict (as_of) do nothing`;

/** Includes the full second: `to` has no fractions. */
const IS_BEFORE_END = (openedAt: string): string => `${openedAt} < $3::timestamptz + interval '1 second'`;

/**
 * What a run must check: lists in the order of (at, origin_id), read page by page after ($4, $5). Each page is a
 * separate statement; repeating one writes nothing again.
 */
const LISTS = {
  /** Opened in the window. */
  window: `
    select t.opened_at as at, t.origin_id, true as is_wanted from giro.transfer t
    where t.opened_at >= $2 and ${IS_BEFORE_END('t.opened_at')}
      and (t.opened_at, t.origin_id) > ($4::timestamptz, $5::bigint)
    order by t.opened_at, t.origin_id limit $6::integer`,
  /** Open, of any age. */
  open: `
    select $4::timestamptz as at, o.origin_id, ${IS_BEFORE_END('o.opened_at')} as is_wanted
    from giro.open_transfer o where o.origin_id > $5::bigint
    order by o.origin_id limit $6::integer`,
  /** Finals that no run has confirmed. */
  unconfirmed: `
    select e.recorded_at as at, e.origin_id, ${IS_BEFORE_END('e.opened_at')} and not ${IS_CONFIRMED} as is_wanted
    from giro.result e
    where e.recorded_at >= $1::timestamptz - interval '${UNCONFIRMED_DAYS} days'
      and (e.recorded_at, e.origin_id) > ($4::timestamptz, $5::bigint)
    order by e.recorded_at, e.origin_id limit $6::integer`,
  /** With an unresolved break of another class than LATE. */
  broken: `
    select $4::timestamptz as at, b.origin_id, exists (
      select from giro.transfer t where t.origin_id = b.origin_id and ${IS_BEFORE_END('t.opened_at')}
    ) as is_wanted
    from (
      select distinct b.origin_id from giro.break b
      where b.origin_id > $5::bigint and b.state <> 'resolved' and b.class <> 'LATE'
      order by b.origin_id limit $6::integer
    ) b`,
} as const;

/**
 * `given` tells PostgreSQL the types of `$2` and `$4`, which some lists do not use. If another worker has completed the
 * run's list, nothing is added: the run may have ended, and then nobody would delete the rows.
 */
const listText = (list: keyof typeof LISTS): string => `
with given as (select $2::timestamptz, $4::timestamptz
), page as (${LISTS[list]}
), listed as (
  insert into giro.reconciliation_item (as_of, origin_id)
  select $1, p.origin_id from page p
  where p.is_wanted and not exists (select from giro.reconciliation_listed l where l.as_of = $1)
  on conflict do nothing
)
select count(*)::integer as read, (array_agg(p.at::text order by p.at desc, p.origin_id desc))[1] as at,
  (array_agg(p.origin_id order by p.at desc, p.origin_id desc))[1] as origin_id
from page p`;

/** A page takes some tenths of a second on a busy server. */
const LISTED_AT_ONCE = 2_500;

interface ListedRow {
  readonly read: number;
  /** Position of the last transfer; nulls: the page was empty. */
  readonly at: string | null;
  readonly origin_id: string | null;
}

async function listTransfers(
  database: Database,
  list: keyof typeof LISTS,
  { asOf, from, to }: RunWindow,
): Promise<void> {
  let place: Pick<ListedRow, 'at' | 'origin_id'> = { at: '-infinity', origin_id: '0' };
  for (;;) {
    const [page] = await database.run<ListedRow>(
      { name: `list-reconciliation-${list}`, text: listText(list), replan: true },
      [asOf, from, to, place.at, place.origin_id, LISTED_AT_ONCE],
    );
    if (page === undefined) throw new Error('an aggregate answered no row');
    if (page.read < LISTED_AT_ONCE) return;
    place = page;
  }
}

const isListedText = `
select exists (select from giro.reconciliation_listed l where l.as_of = $1) as is_listed`;
const listedText = `
insert into giro.reconciliation_listed (as_of, transfers) values ($1, $2::integer) on conflict do nothing`;

const countText = `
select count(*)::integer as count, max(i.origin_id) as last
from (
  select i.origin_id from giro.reconciliation_item i where i.as_of = $1 and i.origin_id > $2::bigint
  order by i.origin_id limit $3::integer
) i`;

/** A page takes some hundredths of a second. */
const COUNTED_AT_ONCE = 100_000;

async function countListed(database: Database, asOf: string): Promise<number> {
  let counted = 0;
  for (let after: string | null = '0'; after !== null;) {
    const [page]: { count: number; last: string | null }[] = await database.run(
      { name: 'count-listed', text: countText },
      [asOf, after, COUNTED_AT_ONCE],
    );
    counted += page?.count ?? 0;
    after = page?.last ?? null;
  }
  return counted;
}

/** SQL: the report of `e`, without its breaks, with its link `l`; null: the run has not ended. */
const REPORT_JSON = `e.report || jsonb_build_object('chain', ${CHAIN_JSON})`;

const runText = `
select r.*, ${REPORT_JSON} as report
from giro.reconciliation r left join giro.reconciliation_end e using (as_of) left join giro.report_link l using (as_of)
where r.as_of = $1`;

interface RunRow extends ReconciliationRow {
  readonly report: ReportHead | null;
}

/**
 * Opens the run of an asOf and lists the transfers that it must check; an existing run keeps its window and its list.
 * If an opening broke off, the next one continues it.
 */
export async function openRun(context: JournalContext, window: RunWindow): Promise<OpenedRun> {
  const { database } = context;
  const { asOf, from, to, isDefault, statementId } = window;
  await database.run({ name: 'open-reconciliation', text: openText }, [
    ...[asOf, from, to, isDefault, statementId],
  ]);
  const opened = await openedRun(context, asOf);
  if (opened === null) throw new Error(`journal: reconciliation ${asOf} is gone`);
  if (opened.kind === 'ended') return opened;
  const [state] = await database.run<{ is_listed: boolean }>(
    { name: 'reconciliation-is-listed', text: isListedText },
    [asOf],
  );
  if (state?.is_listed === true) return opened;
  const lists = opened.window.isDefault
    ? (['window', 'open', 'unconfirmed', 'broken'] as const)
    : ['window' as const];
  for (const list of lists) await listTransfers(database, list, opened.window);
  await database.run({ name: 'reconciliation-listed', text: listedText }, [
    ...[asOf, await countListed(database, asOf)],
  ]);
  return opened;
}

/** A run that has been opened; null: no such run. */
export async function openedRun({ database }: JournalContext, asOf: string): Promise<OpenedRun | null> {
  const [row] = await database.run<RunRow>({ name: 'reconciliation-run', text: runText }, [asOf]);
  if (row === undefined) return null;
  if (row.report !== null) return { kind: 'ended', report: row.report };
  return {
    kind: 'open',
    window: {
      asOf: toSecond(row.as_of.getTime()),
      from: toSecond(row.from_at.getTime()),
      to: toSecond(row.to_at.getTime()),
      isDefault: row.is_default_window,
      statementId: row.statement_id === null ? null : Number(row.statement_id),
    },
  };
}

/**
 * SQL: the number of transfers that run `r` must check, `listed`, and of those that it has checked. While the list is
 * made, and in a run with a statement, the rows of the list are counted.
 */
export const RUN_COUNTS = `
select greatest(counts.listed, counts.checked) as listed, counts.checked
from (
  select
    coalesce(
      (select l.transfers from giro.reconciliation_listed l where l.as_of = r.as_of and r.statement_id is null),
      (select count(*)::integer from giro.reconciliation_item i where i.as_of = r.as_of)
    ) as listed,
    (select coalesce(sum((s.outcome ->> 'checked')::integer), 0)::integer
      from giro.reconciliation_step s where s.as_of = r.as_of) as checked
) counts`;

const progressText = `
select e.as_of is not null as ended, c.listed as total, c.checked
from giro.reconciliation r left join giro.reconciliation_end e using (as_of) cross join lateral (${RUN_COUNTS}) c
where r.as_of = $1`;

/** Number of transfers in a run's list, and of those checked; null: no such run. */
export async function runProgress({ database }: JournalContext, asOf: string): Promise<RunProgress | null> {
  const [row] = await database.run<RunProgress>({ name: 'reconciliation-progress', text: progressText }, [
    asOf,
  ]);
  return row ?? null;
}

const stepText = `
with step as (
  insert into giro.reconciliation_step (as_of, step, outcome) values ($1, $2, $3::jsonb)
  returning as_of, step
), checked as (
  insert into giro.reconciled (as_of, origin_id, step, source, evidence_sha256, confirmed)
  select s.as_of, l."originId", s.step, l.source, l."evidenceSha256", l.confirmed
  from step s cross join jsonb_to_recordset($4::jsonb) as l (
    "originId" bigint, source text, "evidenceSha256" text, confirmed boolean
  )
), gaps as (
  insert into giro.not_asked (as_of, step, origin_id, book, reason)
  select s.as_of, s.step, g."originId", g.book, g.reason
  from step s cross join jsonb_to_recordset($7::jsonb) as g ("originId" bigint, book text, reason text)
  on conflict do nothing
), written as (
  insert into giro.break as b (key, version, break)
  select w.break ->> 'key', w.version, w.break from jsonb_to_recordset($5::jsonb) as w (version integer, break jsonb)
  order by w.break ->> 'key'
  on conflict (key) do update set version = excluded.version, break = excluded.break
), changed as (
  insert into giro.break_change (key, version, kind, state, severity, as_of)
  select w.break ->> 'key', w.version, w.change ->> 'kind', w.break ->> 'state', w.break ->> 'severity', s.as_of
  from step s cross join jsonb_to_recordset($5::jsonb) as w (version integer, break jsonb, change jsonb)
  where jsonb_typeof(w.change) = 'object'
)
insert into giro.break_seen (as_of, key, step, break)
select s.as_of, n.break ->> 'key', s.step, n.break
from step s cross join jsonb_array_elements($6::jsonb) as n (break)`;

/** Another worker did the same step, or wrote one of its breaks. */
const LOST = new Set(['23505', 'GR001']);

/**
 * Writes a step and everything that it found, in one statement. False: another worker wrote the step or one of its
 * breaks.
 */
export async function recordStep({ database }: JournalContext, record: NewStep): Promise<boolean> {
  const { asOf, step, outcome, checked, notAsked, breaks, seen } = record;
  try {
    await database.run({ name: 'record-reconciliation-step', text: stepText }, [
      ...[asOf, step, JSON.stringify(outcome), JSON.stringify(checked)],
      ...[JSON.stringify(breaks), JSON.stringify(seen), JSON.stringify(notAsked)],
    ]);
    return true;
  } catch (error) {
    if (error instanceof JournalStatementError && LOST.has(error.sqlState)) return false;
    throw error;
  }
}

const oneStepText = 'select s.outcome from giro.reconciliation_step s where s.as_of = $1 and s.step = $2';
const stepsText = 'select s.outcome from giro.reconciliation_step s where s.as_of = $1 order by s.step';

/** What a step has written; null: the step is not done. */
export async function runStep(
  { database }: JournalContext,
  asOf: string,
  step: number,
): Promise<StepOutcome | null> {
  const [row] = await database.run<{ outcome: StepOutcome }>(
    { name: 'reconciliation-step', text: oneStepText },
    [asOf, step],
  );
  return row?.outcome ?? null;
}

/** All steps of a run, in their order. */
export async function runSteps({ database }: JournalContext, asOf: string): Promise<readonly StepOutcome[]> {
  const rows = await database.run<{ outcome: StepOutcome }>(
    { name: 'reconciliation-steps', text: stepsText },
    [asOf],
  );
  return rows.map(({ outcome }) => outcome);
}

/** Both lists may have a million rows, so their rows are deleted in pieces, after the last step and before the end. */
const clearText = `
with items as (
  delete from giro.reconciliation_item d
  where d.ctid = any(array(select i.ctid from giro.reconciliation_item i where i.as_of = $1 limit $2::integer))
  returning 1
), matches as (
  delete from giro.statement_match d
  where d.ctid = any(array(select m.ctid from giro.statement_match m where m.as_of = $1 limit $2::integer))
  returning 1
)
select greatest((select count(*) from items), (select count(*) from matches))::integer as most`;
const CLEARED_AT_ONCE = 20_000;

/** Deletes the lists of a run, and records its report with its link. An existing report stays. */
export async function endRun(
  context: JournalContext,
  asOf: string,
  report: NewReport,
): Promise<ChainLink | null> {
  for (let most = CLEARED_AT_ONCE; most === CLEARED_AT_ONCE;) {
    const rows = await context.database.run<{ most: number }>(
      { name: 'clear-reconciliation', text: clearText, replan: true },
      [asOf, CLEARED_AT_ONCE],
    );
    most = rows[0]?.most ?? 0;
  }
  return chainReport(context, asOf, report);
}

const seenText = `
select distinct on (s.key) s.break from giro.break_seen s where s.as_of = $1 order by s.key, s.step desc`;

async function breaksSeen(database: Database, asOf: string): Promise<readonly Break[]> {
  const rows = await database.run<{ break: Break }>({ name: 'breaks-seen', text: seenText }, [asOf]);
  return rows.map((row) => row.break);
}

const reportText = `
select ${REPORT_JSON} as report
from giro.reconciliation_end e left join giro.report_link l using (as_of) where e.as_of = $1
  and not exists (select from giro.reconciliation_forgotten f where f.as_of = e.as_of)`;

/** A run's report; null: no such run, it is in progress, or its breaks are deleted. */
export async function report({ database }: JournalContext, asOf: string): Promise<Report | null> {
  const [row] = await database.run<{ report: ReportHead }>(
    { name: 'reconciliation-report', text: reportText },
    [asOf],
  );
  return row === undefined ? null : { ...row.report, breaks: inOrder(await breaksSeen(database, asOf)) };
}
