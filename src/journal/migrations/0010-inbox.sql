-- What the bank notified, as it came. Not part of the books: rows change while they are worked off, and go when they
-- are old. What follows from them for the books is in tables of its own, below.
create table giro.notification (
  id bigint generated always as identity primary key,
  -- The sender's id of the delivery, or a digest of its content.
  delivery_key text not null unique check (char_length(delivery_key) between 1 and 255),
  -- The bytes as they came, or sealed with the key of this id.
  body bytea not null,
  key_id text check (char_length(key_id) between 1 and 64),
  received_at timestamptz not null default clock_timestamp(),
  -- To be worked on from then on; while somebody does, the end of his lease. Null: done.
  due_at timestamptz default clock_timestamp(),
  tries integer not null default 0,
  outcome text check (
    outcome in ('hinted', 'merged', 'ended', 'orphan', 'not-ours', 'unreadable')
  ),
  done_at timestamptz,
  check ((due_at is null) = (done_at is not null)),
  check ((outcome is null) = (done_at is null))
);
create index notification_due on giro.notification (due_at) where due_at is not null;
create index notification_done on giro.notification (done_at) where done_at is not null;

-- When each workflow was last hinted, by whichever receiver.
create table giro.hint (
  workflow_id text primary key check (char_length(workflow_id) between 1 and 255),
  granted_at timestamptz not null,
  -- `granted_at` of the latest hint that the engine took.
  delivered_at timestamptz
);
create index hint_granted on giro.hint (granted_at);

grant select, insert, update, delete on giro.notification, giro.hint to giro_runtime;

-- Debits that the bank told of and that no transfer was known for. Whether one still has none is asked anew by every
-- reader: the network's id of a transfer can become known after its notification.
create table giro.orphan_debit (
  record_id bigint primary key default nextval('giro.record_id'),
  delivery_key text not null unique check (char_length(delivery_key) between 1 and 255),
  movement_type text check (movement_type ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  origin_ids bigint[] not null,
  movement_ids text[] not null,
  network_ids text[] not null,
  received_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on giro.orphan_debit
  for each statement execute function giro.refuse_change();
alter table giro.orphan_debit enable always trigger append_only;
grant select, insert on giro.orphan_debit to giro_runtime;

-- A notification may name a movement by the bank's id alone.
create index answer_movement_id on giro.answer (movement_id) where movement_id is not null;
