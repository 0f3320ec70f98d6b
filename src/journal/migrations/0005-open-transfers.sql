-- The transfers without a result, to be checked least recently checked first, however many have ended. Not a record:
-- triggers derive it from `transfer` and `result`.
create table giro.open_transfer (
  origin_id bigint primary key,
  -- When a check last made sure that a run drives the transfer; at first, when the transfer was opened.
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

-- The time of a look is the journal's, whatever the statement says: a time to come would hide the transfer from recovery.
create function giro.note_look() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  new.looked_at := clock_timestamp();
  return new;
end
$$;
create trigger note_look before update on giro.open_transfer for each row execute function giro.note_look();
