import type { ReportHead } from '../../reconciliation/port';
import type { Database } from '../database';

/** Marked first, so that nobody is shown a report of which a part is gone. */
const markText = `
insert into giro.reconciliation_forgotten (as_of)
select r.as_of from giro.reconciliation r join giro.reconciliation_end e using (as_of)
where r.started_at < clock_timestamp() - $1::float8 * interval '1 millisecond'
on conflict do nothing`;

export async function markForgotten(database: Database, keepMs: number): Promise<void> {
  await database.run({ name: 'mark-forgotten-runs', text: markText }, [keepMs]);
}

const rowsOf = (table: string): string => `
  select t.ctid from giro.reconciliation_forgotten f join giro.${table} t using (as_of) limit $1::integer`;

const forgetText = `
with looks as (
  delete from giro.reconciled d where d.ctid = any(array(${rowsOf('reconciled')})) returning 1
), seen as (
  delete from giro.break_seen d where d.ctid = any(array(${rowsOf('break_seen')})) returning 1
), gaps as (
  delete from giro.not_asked d where d.ctid = any(array(${rowsOf('not_asked')})) returning 1
), lines as (
  delete from giro.statement_line d where d.ctid = any(array(
    select l.ctid from giro.statement s join giro.statement_line l on l.statement_id = s.id
    where s.recorded_at < clock_timestamp() - $2::float8 * interval '1 millisecond'
      and not exists (
        select from giro.reconciliation r
        where r.statement_id = s.id and not exists (select from giro.reconciliation_forgotten f where f.as_of = r.as_of)
      )
    limit $1::integer
  )) returning 1
)
select greatest((select count(*) from looks), (select count(*) from seen), (select count(*) from gaps),
  (select count(*) from lines))::integer as most`;

/** At most `limit` rows of each kind; the number of the kind of which most were: under `limit` nothing is left. */
export async function forgetRows(
  database: Database,
  { keepMs, limit }: { readonly keepMs: number; readonly limit: number },
): Promise<number> {
  const [row] = await database.run<{ most: number }>(
    { name: 'forget-reconciliation-rows', text: forgetText, replan: true },
    [limit, keepMs],
  );
  return row?.most ?? 0;
}

const headText = `
select e.report from giro.reconciliation_forgotten f join giro.reconciliation_end e using (as_of) where f.as_of = $1`;

export async function forgottenRun(database: Database, asOf: string): Promise<ReportHead | null> {
  const [row] = await database.run<{ report: ReportHead }>({ name: 'forgotten-run', text: headText }, [asOf]);
  return row?.report ?? null;
}
