-- The transfers that have no result yet, to be walked in turn however many have ended. Not a record: it follows from
-- `transfer` and `result`, and triggers keep it so.
create table giro.open_transfer (
  origin_id bigint primary key,
  -- When it was last made sure that a run drives it; at first, when it was opened.
  looked_at timestamptz not null
);
create index open_transfer_turn on giro.open_transfer (looked_at, origin_id);

create function giro.list_open_transfer() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into giro.open_transfer (origin_id, looked_at) values (new.origin_id, new.opened_at);
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

insert into giro.open_transfer (origin_id, looked_at)
select t.origin_id, t.opened_at from giro.transfer t
where not exists (select from giro.result e where e.origin_id = t.origin_id);

revoke execute on function giro.list_open_transfer(), giro.unlist_open_transfer() from public;
grant select, update (looked_at) on giro.open_transfer to giro_runtime;

-- That the journal was restored from a backup: of transfers opened before, it may have lost requests and answers.
create table giro.restoration (
  record_id bigint primary key default nextval('giro.record_id'),
  recorded_at timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on giro.restoration
  for each statement execute function giro.refuse_change();
alter table giro.restoration enable always trigger append_only;
grant select, insert on giro.restoration to giro_runtime;
