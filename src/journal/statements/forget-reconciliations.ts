import type { NewReport } from '../../reconciliation/report';
import type { JournalContext } from '../context';
import { toIso } from '../rows';

/** Marked first, so that nobody sees an incomplete report. */
const markText = `
insert into giro.reconciliation_forgotten (as_of)
select r.as_of from giro.reconciliation r join giro.reconciliation_end e using (as_of)
where r.started_at < clock_timestamp() - $1::float8 * interval '1 millisecond'
on conflict do nothing`;

/** Marks runs that began longer ago than this: `report` no longer returns them. */
export async function markForgotten({ database }: JournalContext, keepMs: number): Promise<void> {
  await database.run({ name: 'mark-forgotten-runs', text: markText }, [keepMs]);
}

const nextText = `
select f.as_of from giro.reconciliation_forgotten f
where not exists (select from giro.reconciliation_emptied e where e.as_of = f.as_of)
order by f.as_of limit 1`;

/** The oldest marked run that may have rows left; null: none. */
export async function nextToForget({ database }: JournalContext): Promise<string | null> {
  const [row] = await database.run<{ as_of: Date }>({ name: 'next-to-forget', text: nextText }, []);
  return row === undefined ? null : toIso(row.as_of);
}

/** Follows the primary key, so that the table is never scanned for the rows of one run. */
const rowsOf = (table: string, rest: string): string => `
  delete from giro.${table} d where d.ctid = any(array(
    select t.ctid from giro.${table} t where t.as_of = $1 order by t.as_of, ${rest} limit $2::integer
  )) returning 1`;

const forgetText = `
with checked as (${rowsOf('reconciled', 't.origin_id')}
), seen as (${rowsOf('break_seen', 't.key, t.step')}
), gaps as (${rowsOf('not_asked', 't.origin_id, t.book, t.step')}
)
select greatest((select count(*) from checked), (select count(*) from seen),
  (select count(*) from gaps))::integer as most`;

/**
 * Deletes the details of a marked run, at most `limit` rows of each kind. Returns the largest number deleted of one
 * kind: below `limit` nothing is left.
 */
export async function forgetRun(
  { database }: JournalContext,
  { asOf, limit }: { readonly asOf: string; readonly limit: number },
): Promise<number> {
  const [row] = await database.run<{ most: number }>(
    { name: 'forget-reconciliation-run', text: forgetText, replan: true },
    [asOf, limit],
  );
  return row?.most ?? 0;
}

const emptiedText = `insert into giro.reconciliation_emptied (as_of) values ($1) on conflict do nothing`;

/** Records that no details of the run are left. */
export async function noteEmptied({ database }: JournalContext, asOf: string): Promise<void> {
  await database.run({ name: 'note-emptied-run', text: emptiedText }, [asOf]);
}

/**
 * Deletes lines of one old statement at a time. A look-up by the primary key shows whether a statement still has lines.
 */
const linesText = `
with old as (
  select s.id from giro.statement s
  where s.recorded_at < clock_timestamp() - $1::float8 * interval '1 millisecond'
    and not exists (
      select from giro.reconciliation r
      where r.statement_id = s.id and not exists (select from giro.reconciliation_forgotten f where f.as_of = r.as_of)
    )
    and (select l.line from giro.statement_line l where l.statement_id = s.id order by l.line limit 1) is not null
  order by s.id limit 1
), gone as (
  delete from giro.statement_line d where d.ctid = any(array(
    select l.ctid from giro.statement_line l where l.statement_id = (select o.id from old o)
    order by l.statement_id, l.line limit $2::integer
  )) returning 1
)
select (select count(*) from gone)::integer as lines`;

/** Deletes lines of one statement that only marked runs used, at most `limit`. Returns their number. */
export async function forgetLines(
  { database }: JournalContext,
  { keepMs, limit }: { readonly keepMs: number; readonly limit: number },
): Promise<number> {
  const [row] = await database.run<{ lines: number }>(
    { name: 'forget-statement-lines', text: linesText, replan: true },
    [keepMs, limit],
  );
  return row?.lines ?? 0;
}

const headText = `
select e.report from giro.reconciliation_forgotten f join giro.reconciliation_end e using (as_of) where f.as_of = $1`;

/** The report of a marked run, without its breaks; null: no such run. */
export async function forgottenRun({ database }: JournalContext, asOf: string): Promise<NewReport | null> {
  const [row] = await database.run<{ report: NewReport }>({ name: 'forgotten-run', text: headText }, [asOf]);
  return row?.report ?? null;
}
