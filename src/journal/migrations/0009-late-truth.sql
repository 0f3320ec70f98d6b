-- What the bank says of a transfer after its end: beside the history, which stays as it is.

-- A question about a transfer that has ended. Its run is over, so it has no number among the run's requests; it is
-- claimed in the same way before its first byte goes out, so that two askers never ask at once.
create table giro.final_check (
  origin_id bigint not null references giro.result (origin_id),
  seq integer not null check (seq >= 1),
  asked_by text not null check (asked_by ~ '^[a-z][a-z ]{0,39}$'),
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, seq)
);

-- What came of it. `agrees` is null when nothing follows from the answer.
create table giro.final_answer (
  origin_id bigint not null,
  seq integer not null,
  answer jsonb not null,
  agrees boolean,
  kind text not null generated always as (answer ->> 'kind') stored
    check (kind in ('movement', 'not-found', 'no-answer')),
  bank_status text generated always as (answer #>> '{movement,status}') stored,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, seq),
  foreign key (origin_id, seq) references giro.final_check (origin_id, seq),
  check (kind <> 'no-answer' or agrees is null)
);

-- A final state that the bank contradicts: once for each fact, and again only if the bank had agreed in between.
create table giro.incident (
  id uuid primary key default gen_random_uuid(),
  record_id bigint not null unique default nextval('giro.record_id'),
  origin_id bigint not null,
  seq integer not null,
  fact text not null check (fact ~ '^[A-Z][A-Z_]{0,39}$'),
  final_status text not null,
  bank_status text,
  movement_id text,
  network_id text,
  evidence_sha256 text,
  recorded_at timestamptz not null default clock_timestamp(),
  unique (origin_id, seq),
  unique (id, origin_id),
  foreign key (origin_id, seq) references giro.final_answer (origin_id, seq)
);

create table giro.incident_acknowledgement (
  incident_id uuid primary key,
  record_id bigint not null unique default nextval('giro.record_id'),
  origin_id bigint not null,
  operator text not null check (char_length(operator) between 1 and 100),
  note text not null check (char_length(note) between 1 and 1000),
  recorded_at timestamptz not null default clock_timestamp(),
  foreign key (incident_id, origin_id) references giro.incident (id, origin_id)
);

create function giro.guard_incident() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_transfer(new.origin_id);
  if not exists (
    select from giro.final_answer a where a.origin_id = new.origin_id and a.seq = new.seq and a.agrees = false
  ) then
    raise exception 'giro: incident of transfer % refused: check % does not contradict it', new.origin_id, new.seq
      using errcode = 'GR002';
  end if;
  if exists (
    select from giro.incident i
    where i.origin_id = new.origin_id and i.fact = new.fact and not exists (
      select from giro.final_answer a where a.origin_id = i.origin_id and a.seq > i.seq and a.agrees
    )
  ) then
    raise exception 'giro: transfer % has this incident', new.origin_id using errcode = 'GR001';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.incident for each row execute function giro.guard_incident();

create trigger enter_feed before insert on giro.incident for each statement execute function giro.enter_feed();
create trigger enter_feed before insert on giro.incident_acknowledgement
  for each statement execute function giro.enter_feed();

do $$
declare
  name text;
begin
  foreach name in array array['final_check', 'final_answer', 'incident', 'incident_acknowledgement'] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;
grant select, insert on
  giro.final_check, giro.final_answer, giro.incident, giro.incident_acknowledgement to giro_runtime;
revoke execute on function giro.guard_incident() from public;
