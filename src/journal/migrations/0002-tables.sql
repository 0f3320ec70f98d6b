-- Everything below is written once and never changed: a state is the latest row, not a column.

-- Ids for orders that come with a reference instead of an originId (largest integer that JSON readers keep).
create sequence giro.origin_id as bigint minvalue 1 maxvalue 9007199254740991;

-- One order over all records, for readers that go on from where they stopped.
create sequence giro.record_id as bigint;

-- An order as it was accepted. Each create is rendered from it; `create_body_sha256` holds all of them to the same bytes.
create table giro.transfer (
  origin_id bigint primary key check (origin_id between 1 and 9007199254740991),
  order_sha256 text not null check (order_sha256 ~ '^[0-9a-f]{64}$'),
  order_json jsonb not null,
  create_body_sha256 text not null check (create_body_sha256 ~ '^[0-9a-f]{64}$'),
  opened_at timestamptz not null default clock_timestamp()
);
create index transfer_newest on giro.transfer (opened_at desc, origin_id desc);

-- Bound before the transfer exists, so no foreign key.
create table giro.reference (
  reference text primary key check (char_length(reference) between 1 and 64),
  origin_id bigint not null unique check (origin_id between 1 and 9007199254740991),
  bound_at timestamptz not null default clock_timestamp()
);

-- A number is claimed here before the first byte of its request goes out; a claimed number is never sent again.
create table giro.request (
  origin_id bigint not null references giro.transfer (origin_id),
  number integer not null check (number >= 1),
  kind text not null check (kind in ('create', 'lookup', 'withdrawal')),
  run_id text not null,
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number)
);
create index request_creates on giro.request (origin_id, number) where kind = 'create';

-- What came of a request. A lookup that tells the same as the latest record here has no row of its own.
create table giro.answer (
  origin_id bigint not null,
  number integer not null,
  record_id bigint not null unique default nextval('giro.record_id'),
  digest text not null,
  answer jsonb not null,
  kind text not null generated always as (answer ->> 'kind') stored
    check (kind in ('answered', 'not-sent', 'refused', 'unknown', 'movement', 'not-found', 'no-answer')),
  bank_status text generated always as (answer #>> '{movement,status}') stored,
  movement_id text generated always as (answer #>> '{movement,movementId}') stored,
  network text generated always as (answer #>> '{movement,network}') stored,
  network_id text generated always as (answer #>> '{movement,networkId}') stored,
  echo text generated always as (answer #>> '{movement,echo}') stored
    check (echo in ('match', 'incomplete', 'mismatch')),
  evidence_sha256 text generated always as (answer #>> '{movement,evidenceSha256}') stored,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number),
  foreign key (origin_id, number) references giro.request (origin_id, number),
  check ((kind in ('answered', 'movement')) = (bank_status is not null and echo is not null))
);
create index answer_network_id on giro.answer (network_id) where network_id is not null;

-- How a transfer ended: once.
create table giro.result (
  origin_id bigint primary key references giro.transfer (origin_id),
  record_id bigint not null unique default nextval('giro.record_id'),
  result jsonb not null check ((result ->> 'originId')::bigint = origin_id),
  status text not null generated always as (result ->> 'status') stored
    check (status in ('COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN')),
  annulment_id uuid generated always as ((result ->> 'annulmentId')::uuid) stored,
  recorded_at timestamptz not null default clock_timestamp(),
  unique (origin_id, status),
  check ((status = 'FAILED') = (annulment_id is not null))
);
create index result_status on giro.result (status);

-- The order gives its funds back. Accounts are those of the order, which never changes.
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
  -- Neither without the other: a FAILED result and its annulment are written together.
  foreign key (origin_id, result_status) references giro.result (origin_id, status)
    deferrable initially deferred
);
create index annulment_recorded on giro.annulment (recorded_at);

alter table giro.result
  add foreign key (origin_id, annulment_id) references giro.annulment (origin_id, id)
  deferrable initially deferred;

-- The full set of open flags after each change; no row: none was ever raised.
create table giro.flags (
  origin_id bigint not null references giro.transfer (origin_id),
  seq integer not null check (seq >= 1),
  record_id bigint not null unique default nextval('giro.record_id'),
  reasons text[] not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, seq)
);
