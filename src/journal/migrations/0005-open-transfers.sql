-- The transfers without a result, with the state of each. Lists and statistics read them here, so ended transfers do
-- not slow them down. Not a record: triggers derive each row from the records of the transfer.
create table giro.open_transfer (
  origin_id bigint primary key,
  opened_at timestamptz not null,
  -- The bank's status as its answers show it (`JudgedEcho.isReported`); null: none yet.
  bank_status text,
  -- The stage, which does not depend on the bank status or on holds (`stageOf`).
  stage text not null default 'sending' check (stage in ('sending', 'looking-up', 'polling')),
  -- As `GiroStatus`: the bank status, otherwise `held`, otherwise the stage.
  status text not null default 'sending',
  -- A create may have reached the bank (`mayBeAtBank`).
  is_sent boolean not null default false,
  -- Creates that were claimed and have no answer.
  unanswered_creates integer not null default 0
) with (
  -- Leaves room for a row's new version on the same page, so that no index has to be written.
  fillfactor = 60,
  -- The table is small and often updated.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0
);
-- For lists of a frequent status, newest first. `opened_at` never changes, so no update has to write this index.
create index open_transfer_newest on giro.open_transfer (opened_at, origin_id);

-- The last open transfer that a recovery has checked, whether or not it could be recovered. The next recovery continues
-- after this transfer, and starts again from the first one after the last. A single row, because marks in all open
-- transfers would leave too many old row versions during a dump.
create table giro.recovery_place (
  only_row boolean primary key default true check (only_row),
  -- 0: before the first.
  origin_id bigint not null check (origin_id between 0 and 9007199254740991)
);
insert into giro.recovery_place (origin_id) values (0);

create function giro.list_open_transfer() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into giro.open_transfer (origin_id, opened_at) values (new.origin_id, new.opened_at);
  return null;
end
$$;
create trigger list_open after insert on giro.transfer
  for each row execute function giro.list_open_transfer();

create function giro.unlist_open_transfer() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from giro.open_transfer o where o.origin_id = new.origin_id;
  return null;
end
$$;
create trigger unlist_open after insert on giro.result
  for each row execute function giro.unlist_open_transfer();

-- `seq` of the latest decision before this answer (`is_after`) that discards the reported movement ids (`forgets_ids`);
-- 0: none.
create function giro.forgotten_before(answer giro.answer) returns integer
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(max(d.seq), 0) from giro.decision d
  where d.origin_id = answer.origin_id and giro.forgets_ids(d) and giro.is_after(answer, d)
$$;

-- Updates the row of an open transfer after a new record of the transfer. `factsOf` in the domain derives the same
-- state; a test compares both over random histories. The transfer's lock is taken first, so that the second of two
-- sessions sees what the first has written.
create function giro.note_status() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  transfer_id bigint := new.origin_id;
  first_id text;
  last_id text;
  is_told boolean;
  is_mismatched boolean;
  shown text;
  sent boolean;
  unanswered integer;
  stage_now text;
  -- The flags of `isHeld`; ORDER_TAMPERED is added below.
  holding text[] := array['JOURNAL_CONFLICT', 'ECHO_MISMATCH', 'ECHO_INCOMPLETE', 'VANISHED', 'OUTCOME_UNKNOWN'];
  held boolean := false;
begin
  perform giro.lock_transfer(transfer_id);
  if not exists (select from giro.open_transfer o where o.origin_id = transfer_id) then
    return null;
  end if;

  -- An answer to a create with a wrong echo says nothing about our order.
  select min(a.movement_id), max(a.movement_id),
    coalesce(bool_or(a.kind = 'movement' or a.kind = 'answered' and a.echo <> 'mismatch'), false),
    coalesce(bool_or(a.kind = 'movement' and a.echo = 'mismatch'), false),
    (array_agg(a.bank_status order by a.number desc) filter (where a.echo in ('match', 'incomplete')))[1]
  into first_id, last_id, is_told, is_mismatched, shown
  from giro.answer a where a.origin_id = transfer_id;
  -- If answers name several movements, an answer counts only if it names no movement, or the first one that was named
  -- since operators last discarded the reported ids.
  if first_id <> last_id then
    select a.bank_status into shown
    from giro.answer a
    where a.origin_id = transfer_id and a.echo in ('match', 'incomplete') and (a.movement_id is null or a.movement_id = (
      select b.movement_id from giro.answer b
      where b.origin_id = a.origin_id and b.movement_id is not null
        and giro.forgotten_before(b) = giro.forgotten_before(a)
      order by b.record_id limit 1
    ))
    order by a.number desc limit 1;
  end if;

  select count(*) filter (where a.number is null),
    count(*) filter (where a.kind is distinct from 'not-sent') > 0
      or exists (select from giro.doubt d where d.origin_id = transfer_id)
  into unanswered, sent
  from giro.request r left join giro.answer a using (origin_id, number)
  where r.origin_id = transfer_id and r.kind = 'create';
  stage_now := case when is_told then 'polling' when sent then 'looking-up' else 'sending' end;

  if shown is null then
    -- ORDER_TAMPERED does not hold an order whose withdrawal is claimed: that order is never sent.
    if stage_now <> 'sending' or (
      select r.kind from giro.request r where r.origin_id = transfer_id order by r.number desc limit 1
    ) is distinct from 'withdrawal' then
      holding := holding || 'ORDER_TAMPERED'::text;
    end if;
    -- Until the result is recorded, the flags at the acceptance of an end hold the transfer too.
    held := coalesce((
        select f.reasons && holding from giro.flags f where f.origin_id = transfer_id order by f.seq desc limit 1
      ), false)
      or coalesce((
        select d.outcome = 'accepted' and d.action <> 'resend' and d.flags && holding
        from giro.decision d where d.origin_id = transfer_id order by d.seq desc limit 1
      ), false)
      -- Holds that only operators can lift. Of these, ORDER_TAMPERED no longer counts once the bank has reported a
      -- movement, because then Giro sends nothing more by itself.
      or case when is_told then array_remove(giro.standing_holds(transfer_id), 'ORDER_TAMPERED')
        else giro.standing_holds(transfer_id) end && holding;
    -- In the answers since operators last discarded the reported ids, a look-up's echo mismatch or two different
    -- movement ids hold the transfer.
    if not held and (is_mismatched or first_id <> last_id) then
      held := exists (
        select from giro.answer a left join giro.answer b
          on b.origin_id = a.origin_id and b.movement_id <> a.movement_id
            and giro.forgotten_before(b) = giro.forgotten_before(a)
        where a.origin_id = transfer_id and (a.kind = 'movement' and a.echo = 'mismatch' or b.number is not null)
          and not exists (
            select from giro.decision d
            where d.origin_id = a.origin_id and giro.forgets_ids(d) and not giro.is_after(a, d)
          )
      );
    end if;
  end if;

  update giro.open_transfer o
  set bank_status = shown, stage = stage_now, is_sent = sent, unanswered_creates = unanswered,
    status = coalesce(shown, case when held then 'held' else stage_now end)
  where o.origin_id = transfer_id;
  return null;
end
$$;

create trigger note_status after insert on giro.request for each row when (new.kind <> 'lookup')
  execute function giro.note_status();
create trigger note_status after insert on giro.answer for each row execute function giro.note_status();
create trigger note_status after insert on giro.flags for each row execute function giro.note_status();
create trigger note_status after insert on giro.decision for each row execute function giro.note_status();
create trigger note_status after insert on giro.doubt for each row execute function giro.note_status();

-- The transfers with open flags, whether or not they have ended. Not a record: a trigger derives each row from the
-- latest row of `flags`.
create table giro.flagged_transfer (
  origin_id bigint primary key,
  opened_at timestamptz not null,
  reasons text[] not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index flagged_transfer_newest on giro.flagged_transfer (opened_at, origin_id);

create function giro.list_flagged() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(new.reasons) = 0 then
    delete from giro.flagged_transfer f where f.origin_id = new.origin_id;
  else
    insert into giro.flagged_transfer (origin_id, opened_at, reasons)
    select t.origin_id, t.opened_at, new.reasons from giro.transfer t where t.origin_id = new.origin_id
    on conflict (origin_id) do update set reasons = excluded.reasons;
  end if;
  return null;
end
$$;
create trigger list_flagged after insert on giro.flags for each row execute function giro.list_flagged();
