-- Run by run, page by page: what an earlier run found without an entry.
create index break_missing on giro.break (origin_id) where class = 'MISSING_IN_JOURNAL' and state <> 'resolved';

-- Of the runs that are forgotten those of which nothing is left: they are not looked for again.
create table giro.reconciliation_emptied (
  as_of timestamptz primary key references giro.reconciliation_forgotten (as_of),
  recorded_at timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on giro.reconciliation_emptied
  for each statement execute function giro.refuse_change();
alter table giro.reconciliation_emptied enable always trigger append_only;
grant select, insert on giro.reconciliation_emptied to giro_runtime;
