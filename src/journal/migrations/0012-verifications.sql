-- Identity verifications: which are tracked, the bank's words, how they ended. No table holds a person's data in clear.

create table giro.verification (
  request_id text primary key check (char_length(request_id) between 1 and 128),
  opened_at timestamptz not null default clock_timestamp()
);
create index verification_newest on giro.verification (opened_at desc, request_id);

-- Whether it is to be asked for: the latest row says so, as long as there is no outcome.
create table giro.verification_tracking (
  request_id text not null references giro.verification (request_id),
  seq integer not null check (seq >= 1),
  is_tracked boolean not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq)
);

-- A word of the bank's, and what it meant by the status map of that time; told again it has no row of its own.
create table giro.verification_word (
  request_id text not null references giro.verification (request_id),
  seq integer not null check (seq >= 1),
  status text not null check (char_length(status) between 1 and 100),
  meaning text not null check (meaning in ('pending', 'approved', 'rejected', 'unmapped')),
  status_at timestamptz,
  evidence_sha256 text not null check (evidence_sha256 ~ '^[0-9a-f]{64}$'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq),
  unique (request_id, seq, meaning)
);

-- How it ended, once. The key to the word makes an outcome impossible that no word of the bank's means.
create table giro.verification_outcome (
  request_id text primary key references giro.verification (request_id),
  seq integer not null,
  outcome text not null check (outcome in ('approved', 'rejected')),
  recorded_at timestamptz not null default clock_timestamp(),
  foreign key (request_id, seq, outcome) references giro.verification_word (request_id, seq, meaning)
);

-- The full set of open flags after each change; no row: none was ever raised.
create table giro.verification_flags (
  request_id text not null references giro.verification (request_id),
  seq integer not null check (seq >= 1),
  reasons text[] not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq)
);

-- The whole answer, with the persons in it, encrypted (KYC_STORE). The owner may delete rows: a person may ask for it.
create table giro.verification_answer (
  request_id text not null,
  seq integer not null,
  sealed text not null check (sealed ~ '^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/]+={0,2}$'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (request_id, seq),
  foreign key (request_id, seq) references giro.verification_word (request_id, seq)
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'verification', 'verification_tracking', 'verification_word', 'verification_outcome', 'verification_flags'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;
create trigger append_only before update or truncate on giro.verification_answer
  for each statement execute function giro.refuse_change();
alter table giro.verification_answer enable always trigger append_only;

grant select, insert on
  giro.verification, giro.verification_tracking, giro.verification_word, giro.verification_outcome,
  giro.verification_flags, giro.verification_answer
to giro_runtime;
