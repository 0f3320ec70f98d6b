-- Identity verifications: which are tracked, the bank's statuses, the outcomes. Personal data is stored encrypted only.

create table giro.verification (
  request_id text primary key check (char_length(request_id) between 1 and 128),
  opened_at timestamptz not null default clock_timestamp()
);
create index verification_newest on giro.verification (opened_at, request_id desc);

-- Whether Giro asks the bank about the verification. The latest row counts, as long as there is no outcome.
create table giro.verification_tracking (
  request_id text not null references giro.verification (request_id),
  seq integer not null check (seq >= 1),
  is_tracked boolean not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq)
);

-- The bank's statuses, each with its meaning by the status map at that time. An unchanged status has no new row,
-- unless its answer ends the verification.
create table giro.verification_status (
  request_id text not null references giro.verification (request_id),
  seq integer not null check (seq >= 1),
  status text not null check (char_length(status) between 1 and 100),
  meaning text not null check (meaning in ('pending', 'approved', 'rejected', 'unmapped')),
  status_at timestamptz,
  evidence_sha256 text not null check (evidence_sha256 ~ '^[0-9a-f]{64}$'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq),
  unique (request_id, seq, meaning),
  -- As `reconciliation_years_check`.
  constraint verification_status_years_check check (
    timezone('UTC', status_at) >= timestamp '0001-01-01' and timezone('UTC', status_at) < timestamp '10000-01-01'
  )
);

-- The outcome; a verification has at most one. The foreign key makes sure that a status of the bank means this outcome.
create table giro.verification_outcome (
  request_id text primary key references giro.verification (request_id),
  seq integer not null,
  outcome text not null check (outcome in ('approved', 'rejected')),
  recorded_at timestamptz not null default clock_timestamp(),
  foreign key (request_id, seq, outcome) references giro.verification_status (request_id, seq, meaning)
);

-- The full set of open flags after each change. No row: no flag was ever raised.
create table giro.verification_flags (
  request_id text not null references giro.verification (request_id),
  seq integer not null check (seq >= 1),
  reasons text[] not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq)
);

-- The bank's full answer, which is personal data, encrypted (KYC_STORE).
create table giro.verification_answer (
  request_id text not null,
  seq integer not null,
  sealed text not null check (sealed ~ '^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/]+={0,2}$'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq),
  foreign key (request_id, seq) references giro.verification_status (request_id, seq)
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'verification', 'verification_tracking', 'verification_status', 'verification_outcome', 'verification_flags'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;
-- The owner may delete rows, because a person may demand the erasure of their data.
create trigger append_only before update or truncate on giro.verification_answer
  for each statement execute function giro.refuse_change();
alter table giro.verification_answer enable always trigger append_only;

-- The tracked verifications without an outcome; recovery checks the least recently checked first. Not a record:
-- triggers derive each row from `verification_tracking` and `verification_outcome`, which may be written in either
-- order, or by two sessions at once: each trigger takes the verification's lock, so the second sees what the first has
-- written.
create table giro.open_verification (
  request_id text primary key,
  -- When a recovery last checked the verification; at first, when its tracking began.
  checked_at timestamptz not null
);
create index open_verification_turn on giro.open_verification (checked_at, request_id);

create function giro.lock_verification(request_id text) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended('giro.verification ' || request_id, 0)) $$;

create function giro.list_open_verification() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_verification(new.request_id);
  if new.is_tracked then
    insert into giro.open_verification (request_id, checked_at)
    select new.request_id, new.recorded_at
    where not exists (select from giro.verification_outcome o where o.request_id = new.request_id)
    on conflict (request_id) do nothing;
  else
    delete from giro.open_verification o where o.request_id = new.request_id;
  end if;
  return null;
end
$$;
create trigger list_open after insert on giro.verification_tracking
  for each row execute function giro.list_open_verification();

create function giro.unlist_open_verification() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_verification(new.request_id);
  delete from giro.open_verification o where o.request_id = new.request_id;
  return null;
end
$$;
create trigger unlist_open after insert on giro.verification_outcome
  for each row execute function giro.unlist_open_verification();

-- The journal sets the time of the check, whatever the statement says: a time in the future would hide the verification
-- from recovery.
create function giro.note_check() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  new.checked_at := clock_timestamp();
  return new;
end
$$;
create trigger note_check before update on giro.open_verification for each row execute function giro.note_check();
