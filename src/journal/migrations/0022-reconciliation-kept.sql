-- What single runs looked at and saw, and the lines of statements, go after a while: they are the bulk. What stays: each
-- run's report without its breaks, its steps, every break and its history, and the sums of each statement.
create table giro.reconciliation_forgotten (
  as_of timestamptz primary key references giro.reconciliation (as_of),
  recorded_at timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on giro.reconciliation_forgotten
  for each statement execute function giro.refuse_change();
alter table giro.reconciliation_forgotten enable always trigger append_only;
grant select, insert on giro.reconciliation_forgotten to giro_runtime;

-- Whatever RECONCILE_KEEP says: a final is asked about for 30 days until one run has found it in order, and rows of
-- younger runs say so.
create function giro.guard_forgotten_run() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from (select distinct g.as_of from gone g) d left join giro.reconciliation r using (as_of)
    where coalesce(r.started_at, 'infinity') >= now() - interval '31 days'
  ) then
    raise exception 'giro.%: DELETE refused: of a run younger than 31 days', tg_table_name using errcode = 'GR003';
  end if;
  return null;
end
$$;
create function giro.guard_forgotten_lines() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from (select distinct g.statement_id from gone g) d
    left join giro.statement s on s.id = d.statement_id
    left join giro.reconciliation r using (statement_id)
    where greatest(coalesce(s.recorded_at, 'infinity'), r.started_at) >= now() - interval '31 days'
  ) then
    raise exception 'giro.%: DELETE refused: of a statement used in the last 31 days', tg_table_name
      using errcode = 'GR003';
  end if;
  return null;
end
$$;
revoke execute on function giro.guard_forgotten_run(), giro.guard_forgotten_lines() from public;

do $$
declare
  name text;
begin
  foreach name in array array['reconciled', 'break_seen', 'not_asked', 'statement_line'] loop
    execute format('drop trigger append_only on giro.%I', name);
    execute format(
      'create trigger append_only before update or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
    execute format(
      'create trigger kept after delete on giro.%I referencing old table as gone
         for each statement execute function giro.%I()', name,
      case when name = 'statement_line' then 'guard_forgotten_lines' else 'guard_forgotten_run' end);
    execute format('alter table giro.%I enable always trigger kept', name);
    execute format('grant delete on giro.%I to giro_runtime', name);
  end loop;
end
$$;
create index reconciliation_started on giro.reconciliation (started_at);
create index reconciliation_statement on giro.reconciliation (statement_id) where statement_id is not null;
