-- Transfers. Rows are written once and never changed: the latest row shows a state, not a column that is updated.

-- originIds for orders that come with a reference instead of an originId. The maximum is the largest integer that every
-- JSON reader reads exactly.
create sequence giro.origin_id as bigint minvalue 1 maxvalue 9007199254740991;

-- Numbers all records in one order, so that a reader can continue where it stopped.
create sequence giro.record_id as bigint;

-- An order as Giro accepted it. Each create is rendered from the order, and its bytes must have the fingerprint
-- `create_body_sha256`.
create table giro.transfer (
  origin_id bigint primary key check (origin_id between 1 and 9007199254740991),
  order_sha256 text not null check (order_sha256 ~ '^[0-9a-f]{64}$'),
  order_json jsonb not null,
  create_body_sha256 text not null check (create_body_sha256 ~ '^[0-9a-f]{64}$'),
  opened_at timestamptz not null default clock_timestamp()
);
-- Lists read this index backwards. In ascending order, new rows fill each page before the next one begins.
create index transfer_newest on giro.transfer (opened_at, origin_id);

-- The originId that is bound to a reference. A reference is bound before its transfer exists, so there is no foreign
-- key.
create table giro.reference (
  reference text primary key check (char_length(reference) between 1 and 64),
  origin_id bigint not null unique check (origin_id between 1 and 9007199254740991),
  bound_at timestamptz not null default clock_timestamp()
);
-- A reconciliation reads the references of its window.
create index reference_bound on giro.reference (bound_at, origin_id);

-- Numbered requests to the bank. A number is claimed before the first byte of its request goes out, and a claimed
-- number is never sent again.
create table giro.request (
  origin_id bigint not null references giro.transfer (origin_id),
  number integer not null check (number >= 1),
  kind text not null check (kind in ('create', 'lookup', 'withdrawal')),
  run_id text not null,
  -- For a create: until when repeats may follow. Null: until an hour after the claim. The first create that may have
  -- reached the bank sets the time for all.
  resend_until timestamptz,
  -- For a create without a recorded answer: until when its bytes may be on their way to the bank. Null: until an hour
  -- after the claim.
  in_flight_until timestamptz,
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number)
);
create index request_creates on giro.request (origin_id, number) where kind = 'create';

-- The outcome of a request. A look-up with the same answer as the latest row has no row of its own. Columns hold the
-- movement in the answer, because a JSON value would repeat its member names in each row.
create table giro.answer (
  origin_id bigint not null,
  record_id bigint not null default nextval('giro.record_id'),
  recorded_at timestamptz not null default clock_timestamp(),
  number integer not null,
  digest text not null,
  kind text not null
    check (kind in ('answered', 'not-sent', 'refused', 'unknown', 'movement', 'not-found', 'no-answer')),
  bank_status text,
  movement_id text,
  network text,
  network_id text,
  posting_at text,
  completed_at text,
  echo text check (echo in ('match', 'incomplete', 'mismatch')),
  evidence_sha256 bytea check (length(evidence_sha256) = 32),
  -- The members of the answer that have no column, those of its movement in `movement`. Null: there are none.
  details jsonb check (
    jsonb_typeof(details) = 'object' and not details ? 'kind'
      and coalesce(jsonb_typeof(details -> 'movement') = 'object', true)
  ),
  primary key (origin_id, number),
  foreign key (origin_id, number) references giro.request (origin_id, number),
  check (case when kind in ('answered', 'movement')
    then num_nulls(bank_status, echo, evidence_sha256) = 0
    else num_nonnulls(bank_status, movement_id, network, network_id, posting_at, completed_at, echo, evidence_sha256,
      details -> 'movement') = 0
  end)
);
create index answer_network_id on giro.answer (network_id) where network_id is not null;
-- A notification may name a movement by the bank's id alone.
create index answer_movement_id on giro.answer (movement_id) where movement_id is not null;

-- The answer as JSON (`CreateAnswer` or `LookupAnswer`); `answerValues` in record-answer.ts is the inverse. Archives hold
-- this JSON, so it must stay the same for each row.
create function giro.answer_json(answer giro.answer) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(answer.details, '{}') || case
    when answer.bank_status is null then jsonb_build_object('kind', answer.kind)
    else jsonb_build_object('kind', answer.kind, 'movement',
      coalesce(answer.details -> 'movement', '{"echoFields": []}') || jsonb_build_object(
        'status', answer.bank_status, 'movementId', answer.movement_id, 'network', answer.network,
        'networkId', answer.network_id, 'postingAt', answer.posting_at, 'completedAt', answer.completed_at,
        'echo', answer.echo, 'evidenceSha256', encode(answer.evidence_sha256, 'hex')
      ))
  end
$$;

-- Accounts and tax ids that differ between answer and order, for the operators who decide. Always encrypted, so without
-- a key ring there are no rows.
create table giro.differing_values (
  origin_id bigint not null,
  number integer not null,
  sealed text not null check (sealed ~ '^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/]+={0,2}$'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number),
  foreign key (origin_id, number) references giro.answer (origin_id, number)
);

-- A create of the transfer may have reached the bank without a row in `request`.
create table giro.doubt (
  record_id bigint primary key default nextval('giro.record_id'),
  origin_id bigint not null references giro.transfer (origin_id),
  reason text not null check (reason in ('restored', 'requests-lost', 'journal-changed')),
  recorded_at timestamptz not null default clock_timestamp()
);
create index doubt_of on giro.doubt (origin_id, record_id);

-- Identifies this PostgreSQL. Another identifier or timeline means that the last commits may be lost, for example after
-- a failover.
create function giro.journal_id() returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_is_in_recovery() then
    raise exception 'giro: a standby does not know its timeline' using errcode = 'read_only_sql_transaction';
  end if;
  return (select c.system_identifier::text from pg_control_system() c)
    || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
end
$$;

-- The last row names the PostgreSQL on which no binding of a reference is missing. On another one the last bindings may
-- be lost. A client then first asks Temporal for the transfers that were started since, notes those with a reference in
-- `lost_reference`, and adds a row here.
create sequence giro.mark_id;
create table giro.journal_mark (
  mark_id bigint primary key default nextval('giro.mark_id'),
  journal_id text not null,
  marked_at timestamptz not null default clock_timestamp()
);
insert into giro.journal_mark (journal_id) values (giro.journal_id());

-- Transfers that Temporal knows to be started by reference. Temporal has only the hash of the reference.
create table giro.lost_reference (
  reference_sha256 text primary key check (reference_sha256 ~ '^[0-9a-f]{64}$'),
  origin_id bigint not null unique check (origin_id between 1 and 9007199254740991),
  noted_at timestamptz not null default clock_timestamp()
);

-- Creates that may have reached the bank. A doubt counts as one, and has no number.
create view giro.perhaps_sent as
select r.origin_id, r.number, r.claimed_at, r.resend_until
from giro.request r left join giro.answer a using (origin_id, number)
where r.kind = 'create' and a.kind is distinct from 'not-sent'
union all
select d.origin_id, null, d.recorded_at, null from giro.doubt d;

-- The full set of open flags after each change. No row: no flag was ever raised.
create table giro.flags (
  origin_id bigint not null references giro.transfer (origin_id),
  seq integer not null check (seq >= 1),
  record_id bigint not null unique default nextval('giro.record_id'),
  reasons text[] not null,
  -- Why `JOURNAL_CONFLICT` is open.
  conflict text,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, seq)
);

-- Whether the text can be an operator's name (`isOperator` in the domain). Only these characters are allowed, so that
-- nobody can pose as two operators whose names look the same (by an accent, a space or a letter of another script).
create function giro.is_operator(name text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select name collate "C" ~ '^[A-Za-z0-9._@+-]{1,100}$' $$;

-- The steps of operators' decisions, in order: proposals, acceptances, resumes, withdrawals, and proposals that were
-- voided without a decision.
create table giro.decision (
  origin_id bigint not null references giro.transfer (origin_id),
  seq integer not null check (seq >= 1),
  record_id bigint not null unique default nextval('giro.record_id'),
  -- Chosen by the caller, so that a repeated step writes one row.
  id text not null,
  outcome text not null check (outcome in ('proposed', 'accepted', 'resumed', 'withdrawn', 'voided')),
  action text check (
    action in ('resume', 'resend', 'accept-not-taken', 'accept-completed', 'accept-failed', 'withdraw')
  ),
  operator text check (giro.is_operator(operator)),
  operators text[] not null,
  reason text not null,
  bank_status text,
  -- The open flags at that time. To resume an ECHO_MISMATCH also discards the reported movement ids (`forgets_ids`).
  flags text[] not null default '{}',
  -- The last request that the deciding run knew. Answers to later requests count as after the decision, whenever they
  -- were recorded (`is_after`).
  after_number integer not null default 0,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, seq),
  unique (origin_id, id),
  check ((outcome = 'voided') = (operator is null) and (outcome = 'voided') = (action is null)),
  check (case outcome
    when 'resumed' then action = 'resume'
    when 'withdrawn' then action = 'withdraw'
    when 'voided' then true
    else action not in ('resume', 'withdraw')
  end)
);

-- The final result; a transfer has at most one.
create table giro.result (
  origin_id bigint primary key references giro.transfer (origin_id),
  record_id bigint not null unique default nextval('giro.record_id'),
  result jsonb not null check ((result ->> 'originId')::bigint = origin_id),
  status text not null generated always as (result ->> 'status') stored
    check (status in ('COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN')),
  annulment_id uuid generated always as ((result ->> 'annulmentId')::uuid) stored,
  -- `opened_at` of the transfer, which sorts lists; the guard sets it.
  opened_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  unique (origin_id, status),
  check ((status = 'FAILED') = (annulment_id is not null)),
  -- Links of the chain cover the result as JSON text, in which every number must be finite.
  constraint result_numbers_check check (
    not result @? '$.** ? (@ < -9007199254740991 || @ > 9007199254740991)'
  )
);
create index result_status on giro.result (status, opened_at, origin_id);
-- A reconciliation reads the finals of the last days.
create index result_recorded on giro.result (recorded_at, origin_id);
-- For a statement's debit without a known id, transfers are suggested by amount and time.
create index result_amount on giro.result ((result #>> '{amount,value}'), recorded_at);

-- The record that a FAILED transfer moved no money, so that its reserved funds may be released. It has no accounts,
-- because the order has them and never changes.
create table giro.annulment (
  origin_id bigint primary key references giro.transfer (origin_id),
  id uuid not null unique default gen_random_uuid(),
  record_id bigint not null unique default nextval('giro.record_id'),
  result_status text not null generated always as ('FAILED') stored,
  movement_id text,
  network text,
  network_id text,
  amount numeric(15, 2) not null check (amount > 0),
  currency text not null,
  evidence_number integer,
  bank_status text,
  bank_posting_at text,
  bank_completed_at text,
  evidence_sha256 text,
  decided_by text not null check (decided_by in ('bank', 'operators')),
  operators text[] not null,
  reason text,
  recorded_at timestamptz not null default clock_timestamp(),
  unique (origin_id, id),
  foreign key (origin_id, evidence_number) references giro.answer (origin_id, number),
  foreign key (origin_id, result_status) references giro.result (origin_id, status)
    deferrable initially deferred
);
create index annulment_recorded on giro.annulment (recorded_at, record_id);

-- Together with the foreign key to `giro.result` above: no FAILED result without its annulment, and no annulment
-- without its FAILED result.
alter table giro.result
  add foreign key (origin_id, annulment_id) references giro.annulment (origin_id, id)
  deferrable initially deferred;

-- A sample of rows shows too few different transfers. Without these settings the planner would expect dozens of rows
-- for each transfer.
alter table giro.request alter column origin_id set (n_distinct = -0.3);
alter table giro.answer alter column origin_id set (n_distinct = -0.4);
alter table giro.flags alter column origin_id set (n_distinct = -0.5);
alter table giro.decision alter column origin_id set (n_distinct = -0.5);

-- Makes the sequence continue at `next` or later. Only the owner may call it. Altering the sequence keeps every nextval
-- waiting until this transaction ends.
create function giro.advance_origin_id(next bigint) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  upcoming bigint;
begin
  alter sequence giro.origin_id no cycle;
  select last_value + is_called::integer into upcoming from giro.origin_id;
  if next > upcoming then
    execute format('alter sequence giro.origin_id restart with %s', next);
  end if;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array[
    'transfer', 'reference', 'lost_reference', 'journal_mark', 'request', 'answer', 'differing_values', 'doubt', 'flags', 'decision', 'result',
    'annulment'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
    -- Append-only tables are vacuumed and frozen after 50,000 new rows, whatever their size, and analysed after 50,000
    -- rows and 1 % of the table. By default PostgreSQL would wait for a fifth of the table, and freeze all of it once
    -- more before transaction ids wrap around.
    execute format(
      'alter table giro.%I set (autovacuum_vacuum_insert_threshold = 50000, autovacuum_vacuum_insert_scale_factor = 0,
         autovacuum_freeze_min_age = 0, autovacuum_analyze_threshold = 50000, autovacuum_analyze_scale_factor = 0.01)',
      name);
  end loop;
end
$$;
