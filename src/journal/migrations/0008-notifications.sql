-- The inbox: the bank's notifications as received. Not records: rows change while they are processed, and old rows are
-- deleted. What the journal keeps of notifications is in `giro.orphan_debit`.
create table giro.notification (
  id bigint generated always as identity primary key,
  -- The sender's id of the delivery, or a digest of its content.
  delivery_key text not null unique check (char_length(delivery_key) between 1 and 255),
  -- The bytes as received, or sealed with the key `key_id`. At most 256 KiB are accepted; sealing adds less than 1 KiB.
  body bytea not null check (octet_length(body) <= 257 * 1024),
  key_id text check (char_length(key_id) between 1 and 64),
  received_at timestamptz not null default clock_timestamp(),
  -- From when the notification may be processed; during processing, the end of the lease. Null: done.
  due_at timestamptz default clock_timestamp(),
  tries integer not null default 0,
  -- Leases in a row that ended without a result: the worker that held the lease may have failed or crashed because of
  -- this row.
  unfinished integer not null default 0,
  outcome text check (
    outcome in ('hinted', 'merged', 'ended', 'orphan', 'not-ours', 'unreadable', 'set-aside')
  ),
  done_at timestamptz,
  check ((due_at is null) = (done_at is not null)),
  check ((outcome is null) = (done_at is null))
);
create index notification_due on giro.notification (due_at) where due_at is not null;
create index notification_suspect on giro.notification (due_at) where due_at is not null and unfinished > 0;
create index notification_done on giro.notification (done_at) where done_at is not null;
create index notification_set_aside on giro.notification (done_at) where outcome = 'set-aside';

-- The size of the inbox, for its quotas. Sessions count in different rows, so that deliveries seldom wait for one
-- another.
create table giro.inbox_size (
  slot integer primary key check (slot between 0 and 31),
  row_count bigint not null,
  byte_count bigint not null
) with (fillfactor = 50);
insert into giro.inbox_size select slot, 0, 0 from generate_series(0, 31) slot;

-- Beyond this cap nothing is stored, whatever the receiver's quotas: the receiver sets its quotas itself, and it faces
-- the internet. Only the owner may change the cap.
create table giro.inbox_cap (
  is_only boolean primary key default true check (is_only),
  max_rows bigint not null,
  max_bytes bigint not null
);
insert into giro.inbox_cap (max_rows, max_bytes) values (4000000, 8589934592);

-- Runs as the owner, because the roles that store and delete notifications may not write the counts.
create function giro.count_inbox() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  is_over boolean;
begin
  if tg_op = 'INSERT' then
    with n as (
      select count(*) as row_count, coalesce(sum(octet_length(body)), 0) as byte_count from added
    ), counted as (
      update giro.inbox_size s
      set row_count = s.row_count + n.row_count, byte_count = s.byte_count + n.byte_count
      from n where s.slot = pg_backend_pid() % 32 and n.row_count > 0
    )
    select n.row_count > 0 and (sum(s.row_count) + n.row_count > c.max_rows
        or sum(s.byte_count) + n.byte_count > c.max_bytes)
    into is_over
    from n, giro.inbox_cap c, giro.inbox_size s
    group by n.row_count, n.byte_count, c.max_rows, c.max_bytes;
    if is_over then
      raise exception 'the inbox is full: giro.inbox_cap' using errcode = 'GR002';
    end if;
  elsif tg_op = 'DELETE' then
    update giro.inbox_size s
    set row_count = s.row_count - n.row_count, byte_count = s.byte_count - n.byte_count
    from (select count(*) as row_count, sum(octet_length(body)) as byte_count from removed) n
    where s.slot = pg_backend_pid() % 32 and n.row_count > 0;
  else
    update giro.inbox_size set row_count = 0, byte_count = 0;
  end if;
  return null;
end
$$;
create trigger count_added after insert on giro.notification referencing new table as added
  for each statement execute function giro.count_inbox();
create trigger count_removed after delete on giro.notification referencing old table as removed
  for each statement execute function giro.count_inbox();
create trigger count_truncated after truncate on giro.notification
  for each statement execute function giro.count_inbox();

-- When a hint to each workflow was last granted, to any worker.
create table giro.hint (
  workflow_id text primary key check (char_length(workflow_id) between 1 and 255),
  granted_at timestamptz not null,
  -- `granted_at` of the latest hint that Temporal accepted.
  delivered_at timestamptz
);
create index hint_granted on giro.hint (granted_at);

-- Debits in notifications for which no transfer was known, and which the bank has not confirmed yet. Not records: a row
-- is deleted once the debit has an outcome (`DebitOutcome` in webhooks/confirm-debits.ts). Of the debits about which
-- the bank cannot be asked, only the newest stay.
create table giro.suspected_debit (
  id bigint generated always as identity primary key,
  delivery_key text not null unique check (char_length(delivery_key) between 1 and 255),
  movement_type text check (movement_type ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  origin_ids bigint[] not null,
  movement_ids text[] not null,
  network_ids text[] not null,
  received_at timestamptz not null,
  -- When the bank may be asked about the debit; while it is being asked, the end of the lease. Null: the bank cannot be
  -- asked, because a movement's id alone does not suffice.
  ask_at timestamptz,
  asked integer not null default 0,
  -- Readable answers that neither confirm nor explain the debit: no such movement, another movement, or a movement that
  -- is not a debit or moved no money.
  not_found integer not null default 0
);
create index suspected_debit_ask_at on giro.suspected_debit (asked, ask_at) where ask_at is not null;
create index suspected_debit_bare on giro.suspected_debit (id) where ask_at is null;
-- Of several debits about one movement, only one is asked about at a time.
create index suspected_debit_origin_ids on giro.suspected_debit using gin (origin_ids) where ask_at is not null;
create index suspected_debit_network_ids on giro.suspected_debit using gin (network_ids) where ask_at is not null;

-- Debits that nobody ordered, as the bank has confirmed them. Every reader checks again whether a transfer explains the
-- debit, because a transfer's network id can arrive after the notification.
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
-- Notifications of one debit are found by any id that they share.
create index orphan_debit_origin_ids on giro.orphan_debit using gin (origin_ids);
create index orphan_debit_movement_ids on giro.orphan_debit using gin (movement_ids);
create index orphan_debit_network_ids on giro.orphan_debit using gin (network_ids);

-- Sets the date to that of the notification, whose row exists while the notification is processed. No login can set
-- this date.
create function giro.date_suspected_debit() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  select n.received_at into new.received_at
  from giro.notification n where n.delivery_key = split_part(new.delivery_key, ' ', 1);
  new.received_at := coalesce(new.received_at, clock_timestamp());
  return new;
end
$$;
create trigger date_debit before insert on giro.suspected_debit
  for each row execute function giro.date_suspected_debit();

-- Moves a held debit into `giro.orphan_debit`, with the ids of the bank's answer. Runs as the owner, so that the caller
-- can neither set dates nor record a debit that was not held. Returns the held debit, or no row if none was held;
-- `is_new` false: the debit was recorded before.
create function giro.confirm_debit(delivery_key text, origin_ids bigint[], movement_ids text[], network_ids text[])
returns table (held giro.suspected_debit, is_new boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from giro.suspected_debit s where s.delivery_key = confirm_debit.delivery_key returning s.* into held;
  if not found then
    return;
  end if;
  insert into giro.orphan_debit (delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at)
  values (held.delivery_key, held.movement_type, confirm_debit.origin_ids, confirm_debit.movement_ids,
    confirm_debit.network_ids, held.received_at)
  on conflict on constraint orphan_debit_delivery_key_key do nothing;
  is_new := found;
  return next;
end
$$;

-- What is wrong with the subscriptions at the bank. Each change adds a row, so that the age of a problem is known.
create table giro.webhook_check (
  record_id bigint primary key default nextval('giro.record_id'),
  -- [{"eventType", "standing"}]; empty: nothing is wrong any more.
  findings jsonb not null check (jsonb_typeof(findings) = 'array'),
  recorded_at timestamptz not null default clock_timestamp()
);

do $$
declare
  name text;
begin
  foreach name in array array['orphan_debit', 'webhook_check'] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;
