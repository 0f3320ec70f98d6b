-- Reconciliation: what each run looked at and found, and the life of every difference.

-- A run, once for each moment that it speaks of.
create table giro.reconciliation (
  as_of timestamptz primary key check (as_of = date_trunc('second', as_of)),
  from_at timestamptz not null,
  -- Inclusive: transfers opened up to then.
  to_at timestamptz not null check (from_at <= to_at),
  -- False: the caller chose the window, and nothing but the window is looked at.
  is_default_window boolean not null,
  statement_id bigint,
  started_at timestamptz not null default clock_timestamp()
);

-- One step of a run, written with everything it found in one statement: a step that is repeated finds it here.
create table giro.reconciliation_step (
  as_of timestamptz not null references giro.reconciliation (as_of),
  step integer not null check (step >= 1),
  -- {"totals", "notAsked", "notAskedCount", "opened", "resolved", "checked", "next"}
  outcome jsonb not null check (jsonb_typeof(outcome) = 'object'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (as_of, step)
);

-- What a run looked at: how the bank's side was known, by which evidence. `settled`: asked, and nothing differs.
create table giro.reconciled (
  as_of timestamptz not null,
  origin_id bigint not null,
  step integer not null,
  look text not null check (look in ('asked', 'recorded', 'not-asked')),
  evidence_sha256 text,
  heard_at timestamptz,
  settled boolean not null,
  primary key (as_of, origin_id),
  foreign key (as_of, step) references giro.reconciliation_step (as_of, step),
  check (not settled or look = 'asked')
);
create index reconciled_settled on giro.reconciled (origin_id, heard_at) where settled;

create table giro.reconciliation_end (
  as_of timestamptz primary key references giro.reconciliation (as_of),
  -- The report without its breaks, which are in `break_seen`.
  report jsonb not null check (jsonb_typeof(report) = 'object'),
  outcome text not null generated always as (report ->> 'outcome') stored
    check (outcome in ('CLEAN', 'BREAKS', 'PARTIAL')),
  recorded_at timestamptz not null default clock_timestamp()
);

-- A difference between the books as it stands now; its history is in `break_change`.
create table giro.break (
  key text primary key check (char_length(key) between 1 and 300),
  version integer not null check (version >= 1),
  break jsonb not null check (break ->> 'key' = key),
  origin_id bigint generated always as ((break ->> 'originId')::bigint) stored,
  class text not null generated always as (break ->> 'class') stored check (class ~ '^[A-Z][A-Z_]{0,39}$'),
  state text not null generated always as (break ->> 'state') stored
    check (state in ('open', 'acknowledged', 'resolved')),
  book text not null generated always as (break ->> 'book') stored,
  -- ISO UTC of one form, so that their order as text is that of time.
  first_seen text not null generated always as (break ->> 'firstSeen') stored
);
create index break_origin on giro.break (origin_id) where origin_id is not null;
create index break_unresolved on giro.break (first_seen, key) where state <> 'resolved';

create table giro.break_change (
  record_id bigint primary key default nextval('giro.record_id'),
  key text not null references giro.break (key),
  version integer not null,
  kind text not null check (kind in ('opened', 'changed', 'acknowledged', 'resolved', 'reopened')),
  state text not null check (state in ('open', 'acknowledged', 'resolved')),
  severity text not null,
  -- Null: a run.
  operator text check (char_length(operator) between 1 and 100),
  note text check (char_length(note) between 1 and 1000),
  -- The run; null: an operator's command.
  as_of timestamptz references giro.reconciliation (as_of),
  recorded_at timestamptz not null default clock_timestamp(),
  unique (key, version),
  check ((operator is null) = (as_of is not null))
);

-- The breaks of a run's report as that run saw them; the last step that met one has it.
create table giro.break_seen (
  as_of timestamptz not null,
  key text not null references giro.break (key),
  step integer not null,
  break jsonb not null,
  primary key (as_of, key, step),
  foreign key (as_of, step) references giro.reconciliation_step (as_of, step)
);

-- Versions follow one another, so that of two who read one and the same only the first writes; the other looks again.
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

-- Lines of a bank's statement, as one reading of the file gave them. A reading that broke off has no end, and counts for
-- nothing.
create table giro.statement (
  id bigint primary key default nextval('giro.record_id'),
  recorded_at timestamptz not null default clock_timestamp()
);
create table giro.statement_line (
  statement_id bigint not null references giro.statement (id),
  line integer not null check (line >= 1),
  -- Equal bookings without any id are numbered.
  ordinal integer not null check (ordinal >= 1),
  origin_id bigint,
  movement_id text,
  network_id text,
  direction text not null check (direction in ('debit', 'credit')),
  amount numeric(15, 2) not null,
  currency text not null,
  booked_at timestamptz not null,
  -- Sealed when there is a key ring.
  counterparty text,
  primary key (statement_id, line)
);
create table giro.statement_end (
  statement_id bigint primary key references giro.statement (id),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  summary jsonb not null check (jsonb_typeof(summary) = 'object'),
  recorded_at timestamptz not null default clock_timestamp()
);
alter table giro.reconciliation add foreign key (statement_id) references giro.statement_end (statement_id);

do $$
declare
  name text;
begin
  foreach name in array array[
    'reconciliation', 'reconciliation_step', 'reconciled', 'reconciliation_end', 'break_change', 'break_seen',
    'statement', 'statement_line', 'statement_end'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
    execute format('grant select, insert on giro.%I to giro_runtime', name);
  end loop;
end
$$;
grant select, insert, update (version, break) on giro.break to giro_runtime;

-- Not records: which transfers a run has still to look at, in turn, and which line of a statement belongs to which
-- transfer for that run. They go when the run has ended.
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
grant select, insert, delete on giro.reconciliation_item, giro.statement_match to giro_runtime;

-- A reconciliation finds finals of the last days without walking all that ever ended.
create index result_recorded on giro.result (recorded_at);
revoke execute on function giro.guard_break() from public;
