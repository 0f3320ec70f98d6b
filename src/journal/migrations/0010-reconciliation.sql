-- Reconciliation: what each run compared and found, and the history of every difference.

-- The bank's statements: a row for each import of a file. An import without a row in `statement_end` is not complete
-- and does not count.
create table giro.statement (
  id bigint primary key default nextval('giro.record_id'),
  recorded_at timestamptz not null default clock_timestamp()
);
-- Begins the import of a statement. Runs as the owner, so that no caller can set the id or the time.
create function giro.begin_statement() returns bigint
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$ insert into giro.statement default values returning id $$;

create table giro.statement_line (
  statement_id bigint not null references giro.statement (id),
  line integer not null check (line >= 1),
  -- Numbers equal bookings of the file from 1.
  ordinal integer not null check (ordinal >= 1),
  -- Which of our own accounts: eight hex digits of the account number's SHA-256, which do not disclose the number.
  account text check (account ~ '^[0-9a-f]{8}$'),
  origin_id bigint,
  movement_id text,
  network_id text,
  direction text not null check (direction in ('debit', 'credit')),
  amount numeric(15, 2) not null,
  currency text not null,
  booked_at timestamptz not null,
  -- Encrypted if there is a key ring.
  counterparty text,
  primary key (statement_id, line),
  -- The years that the reader of statements takes: runs compute with the days around a booking, too.
  constraint statement_line_years_check check (
    timezone('UTC', booked_at) >= timestamp '2000-01-01' and timezone('UTC', booked_at) < timestamp '3000-01-01'
  )
);
create table giro.statement_end (
  statement_id bigint primary key references giro.statement (id),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  summary jsonb not null check (jsonb_typeof(summary) = 'object'),
  recorded_at timestamptz not null default clock_timestamp()
);

-- A complete statement gets no further lines: its summary has their sums, and a run may have used it. The lock makes sure
-- that neither of two sessions misses what the other writes.
create function giro.statement_lock(statement_id bigint) returns bigint
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select hashtextextended('giro.statement', statement_id) $$;

create function giro.guard_statement_end() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(giro.statement_lock(new.statement_id));
  return new;
end
$$;
create trigger guard before insert on giro.statement_end for each row execute function giro.guard_statement_end();

create function giro.guard_statement_is_open() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(giro.statement_lock(d.statement_id))
  from (select distinct a.statement_id from added a) d;
  if exists (select from (select distinct a.statement_id from added a) d join giro.statement_end e using (statement_id)) then
    raise exception 'giro.statement_line: INSERT refused: the import is complete' using errcode = 'GR002';
  end if;
  return null;
end
$$;
create trigger is_open after insert on giro.statement_line referencing new table as added
for each statement execute function giro.guard_statement_is_open();

-- A run; `as_of` is the time that it reports on.
create table giro.reconciliation (
  as_of timestamptz primary key check (as_of = date_trunc('second', as_of)),
  from_at timestamptz not null,
  -- Inclusive: transfers that were opened at this time belong to the window.
  to_at timestamptz not null check (from_at <= to_at),
  -- False: the caller chose the window, and only the window is compared.
  is_default_window boolean not null,
  statement_id bigint references giro.statement_end (statement_id),
  started_at timestamptz not null default clock_timestamp(),
  -- Readers write these times as ISO text with a year of four digits; one run of another time would stop every list.
  constraint reconciliation_years_check check (
    timezone('UTC', least(as_of, from_at)) >= timestamp '0001-01-01'
      and timezone('UTC', greatest(as_of, to_at)) < timestamp '10000-01-01'
  )
);
create index reconciliation_started on giro.reconciliation (started_at);
create index reconciliation_statement on giro.reconciliation (statement_id) where statement_id is not null;

-- The runs whose transfers are listed. The lines of a statement may add more transfers later.
create table giro.reconciliation_listed (
  as_of timestamptz primary key references giro.reconciliation (as_of),
  -- How many were listed then. Stored, because counting millions takes long.
  transfers integer not null check (transfers >= 0),
  recorded_at timestamptz not null default clock_timestamp()
);

-- A step of a run, written in one statement with everything that the step found, so that a repeated step finds its
-- outcome here.
create table giro.reconciliation_step (
  as_of timestamptz not null references giro.reconciliation (as_of),
  step integer not null check (step >= 1),
  -- {"totals", "notAsked", "notAskedCount", "opened", "resolved", "checked", "next"}
  outcome jsonb not null check (jsonb_typeof(outcome) = 'object'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (as_of, step)
);

-- The transfers that a run compared, with the source and the evidence of the bank's side.
create table giro.reconciled (
  as_of timestamptz not null,
  origin_id bigint not null,
  step integer not null,
  source text not null check (source in ('asked', 'recorded', 'not-asked')),
  evidence_sha256 text,
  -- The bank was asked, and nothing differs.
  confirmed boolean not null,
  primary key (as_of, origin_id),
  foreign key (as_of, step) references giro.reconciliation_step (as_of, step),
  check (not confirmed or source = 'asked')
);
create index reconciled_confirmed on giro.reconciled (origin_id, as_of) where confirmed;

-- Everything that a run could not compare, and why. The outcome of a step has only the first few.
create table giro.not_asked (
  as_of timestamptz not null,
  step integer not null,
  origin_id bigint not null,
  book text not null check (book ~ '^[a-z]{1,20}$'),
  reason text not null check (reason ~ '^[A-Z][A-Z_]{0,39}$'),
  -- Pages are read in this order.
  primary key (as_of, origin_id, book, step),
  foreign key (as_of, step) references giro.reconciliation_step (as_of, step)
);

create table giro.reconciliation_end (
  as_of timestamptz primary key references giro.reconciliation (as_of),
  -- The report without its breaks, which are in `break_seen`.
  report jsonb not null check (jsonb_typeof(report) = 'object'),
  outcome text not null generated always as (report ->> 'outcome') stored
    check (outcome in ('CLEAN', 'BREAKS', 'PARTIAL')),
  recorded_at timestamptz not null default clock_timestamp()
);

-- The differences between the books, each in its current state; the history is in `break_change`.
create table giro.break (
  key text primary key check (char_length(key) between 1 and 300),
  version integer not null check (version >= 1),
  break jsonb not null check (break ->> 'key' = key),
  origin_id bigint generated always as ((break ->> 'originId')::bigint) stored,
  class text not null generated always as (break ->> 'class') stored check (class ~ '^[A-Z][A-Z_]{0,39}$'),
  state text not null generated always as (break ->> 'state') stored
    check (state in ('open', 'acknowledged', 'resolved')),
  book text not null generated always as (break ->> 'book') stored,
  -- ISO UTC in one format, so that text order is time order.
  first_seen text not null generated always as (break ->> 'firstSeen') stored
);
create index break_origin on giro.break (origin_id) where origin_id is not null;
create index break_unresolved on giro.break (first_seen, key) where state <> 'resolved';
-- Unresolved breaks of debits without a transfer, for reading page by page.
create index break_orphan on giro.break (key) where state <> 'resolved' and class = 'ORPHAN_AT_BANK';
-- Movements without a transfer that earlier runs found, for reading page by page.
create index break_missing on giro.break (origin_id) where class = 'MISSING_IN_JOURNAL' and state <> 'resolved';

create table giro.break_change (
  record_id bigint primary key default nextval('giro.record_id'),
  key text not null references giro.break (key),
  version integer not null,
  kind text not null check (kind in ('opened', 'changed', 'acknowledged', 'resolved', 'reopened')),
  state text not null check (state in ('open', 'acknowledged', 'resolved')),
  severity text not null,
  -- Null: a run made the change.
  operator text check (giro.is_operator(operator)),
  note text check (char_length(note) between 1 and 1000),
  -- The run that made the change; null: an operator's command made it.
  as_of timestamptz references giro.reconciliation (as_of),
  recorded_at timestamptz not null default clock_timestamp(),
  unique (key, version),
  check ((operator is null) = (as_of is not null)),
  -- As `break-life.ts` makes them.
  check (state = case when kind in ('acknowledged', 'resolved') then kind else 'open' end),
  check (case when operator is null then kind <> 'acknowledged' else kind in ('acknowledged', 'resolved') end)
);

-- The breaks of a run's report, as that run saw them. If several steps of the run saw a break, the last one counts.
create table giro.break_seen (
  as_of timestamptz not null,
  key text not null references giro.break (key),
  step integer not null,
  break jsonb not null,
  primary key (as_of, key, step),
  foreign key (as_of, step) references giro.reconciliation_step (as_of, step)
);
create index break_seen_key on giro.break_seen (key);

-- A change takes the next version. Of two writers that read the same version, only the first can write; the other reads
-- again.
create function giro.guard_break() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'giro.break: DELETE refused' using errcode = 'GR003';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'giro: break % has been changed meanwhile', new.key using errcode = 'GR001';
  end if;
  if tg_op = 'UPDATE' and new.key <> old.key then
    raise exception 'giro.break: another key refused' using errcode = 'GR003';
  end if;
  return new;
end
$$;
create trigger guard before update or delete on giro.break for each row execute function giro.guard_break();
create trigger no_truncate before truncate on giro.break for each statement execute function giro.refuse_change();
alter table giro.break enable always trigger no_truncate;

-- A new break, and a change of its state, class, operator, note, `resolvedBy`, `resolvedFact`, originId or fact, needs
-- its row in `break_change`, with the same state, severity, operator and note. No row is needed when a run sees the same
-- fact again, when more becomes known about an orphan, or when a resolved fact is gone (`resolvedFact` becomes null).
-- All other members (severity, sentence, amount, `lastSeen`…) change only to the values that a run saw (`break_seen`),
-- and never to those of an earlier run. The check comes when the transaction ends, so the order of the writes is free.
create function giro.guard_break_is_recorded() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The members that `break_change` records, or that follow from its kind.
  of_change text[] := array['state', 'operator', 'note', 'resolvedBy', 'resolvedFact'];
  same_operator boolean := false;
begin
  if tg_op = 'UPDATE' then
    if new.break - of_change <> old.break - of_change and (
      coalesce(new.break ->> 'lastSeen', '') < coalesce(old.break ->> 'lastSeen', '')
      or not exists (select from giro.break_seen s where s.key = new.key and s.break = new.break)
    ) then
      raise exception 'giro: break % refused: no run saw it so', new.key using errcode = 'GR002';
    end if;
    same_operator := (new.break -> 'operator', new.break -> 'note')
      is not distinct from (old.break -> 'operator', old.break -> 'note');
    if (new.state, new.class) = (old.state, old.class) and same_operator
      and new.break -> 'resolvedBy' is not distinct from old.break -> 'resolvedBy'
      and coalesce(new.break ->> 'resolvedFact' = old.break ->> 'resolvedFact', new.break ->> 'resolvedFact' is null)
      and (new.class = 'ORPHAN_AT_BANK' or (new.break -> 'fact', new.break -> 'originId')
        is not distinct from (old.break -> 'fact', old.break -> 'originId'))
    then
      return null;
    end if;
  end if;
  if not exists (
    select from giro.break_change c
    where c.key = new.key and c.version = new.version and c.state = new.state
      and c.severity = new.break ->> 'severity'
      and (same_operator
        or (c.operator, c.note) is not distinct from (new.break ->> 'operator', new.break ->> 'note'))
  ) then
    raise exception 'giro: break % refused: its change has no record', new.key using errcode = 'GR002';
  end if;
  return null;
end
$$;
create constraint trigger is_recorded after insert or update on giro.break
  deferrable initially deferred for each row execute function giro.guard_break_is_recorded();

create function giro.guard_break_change() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (
    select from giro.break b where b.key = new.key and b.version = new.version and b.state = new.state
  ) then
    raise exception 'giro: change of break % refused: the break does not have this version and state', new.key
      using errcode = 'GR002';
  end if;
  return null;
end
$$;
create constraint trigger is_change after insert on giro.break_change
  deferrable initially deferred for each row execute function giro.guard_break_change();

-- Runs whose details may be deleted: their rows in `reconciled`, `not_asked`, `break_seen` and `statement_line`. What
-- stays: reports and steps of runs, every break with its history, the sums of each statement.
create table giro.reconciliation_forgotten (
  as_of timestamptz primary key references giro.reconciliation (as_of),
  recorded_at timestamptz not null default clock_timestamp()
);

-- Runs whose details are all deleted: the search for details to delete skips them.
create table giro.reconciliation_emptied (
  as_of timestamptz primary key references giro.reconciliation_forgotten (as_of),
  recorded_at timestamptz not null default clock_timestamp()
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'statement', 'statement_end', 'reconciliation', 'reconciliation_listed', 'reconciliation_step',
    'reconciliation_end', 'break_change', 'reconciliation_forgotten', 'reconciliation_emptied'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;

-- The rows of a run are complete when it ends, because its report is read from them: `break_seen` has its breaks. The
-- lock makes sure that neither of two sessions misses what the other writes.
create function giro.run_lock(as_of timestamptz) returns bigint
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select hashtextextended('giro.reconciliation', extract(epoch from as_of)::bigint) $$;

create function giro.guard_run_end() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(giro.run_lock(new.as_of));
  return new;
end
$$;
create trigger guard before insert on giro.reconciliation_end for each row execute function giro.guard_run_end();

create function giro.guard_run_is_open() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(giro.run_lock(d.as_of)) from (select distinct a.as_of from added a) d;
  if exists (
    select from (select distinct a.as_of from added a) d join giro.reconciliation_end e using (as_of)
  ) then
    raise exception 'giro.%: INSERT refused: the run has ended', tg_table_name using errcode = 'GR001';
  end if;
  return null;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['reconciliation_step', 'reconciled', 'not_asked', 'break_seen'] loop
    execute format(
      'create trigger is_open after insert on giro.%I referencing new table as added
         for each statement execute function giro.guard_run_is_open()', name);
  end loop;
end
$$;

-- Details of the last 31 days stay, whatever RECONCILE_KEEP says: for 30 days Giro asks the bank about a final until
-- one run has found it in order, and only `reconciled` shows that. They are counted in hours, because the length of
-- a day depends on the session's time zone, which each login can set.
create function giro.guard_forgotten_run() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from (select distinct g.as_of from gone g) d left join giro.reconciliation r using (as_of)
    where coalesce(r.started_at, 'infinity') >= now() - interval '744 hours'
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
    where greatest(coalesce(s.recorded_at, 'infinity'), r.started_at) >= now() - interval '744 hours'
  ) then
    raise exception 'giro.%: DELETE refused: of a statement used in the last 31 days', tg_table_name
      using errcode = 'GR003';
  end if;
  return null;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['reconciled', 'break_seen', 'not_asked', 'statement_line'] loop
    execute format(
      'create trigger append_only before update or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
    execute format(
      'create trigger kept after delete on giro.%I referencing old table as gone
         for each statement execute function giro.%I()', name,
      case when name = 'statement_line' then 'guard_forgotten_lines' else 'guard_forgotten_run' end);
    execute format('alter table giro.%I enable always trigger kept', name);
  end loop;
end
$$;

-- Not records, deleted when the run has ended: the transfers that the run still has to compare, and the transfer that
-- each line of its statement belongs to.
create table giro.reconciliation_item (
  as_of timestamptz not null,
  origin_id bigint not null,
  primary key (as_of, origin_id)
);
create table giro.statement_match (
  as_of timestamptz not null,
  line integer not null,
  origin_id bigint not null,
  primary key (as_of, line)
);
create index statement_match_origin on giro.statement_match (as_of, origin_id);
