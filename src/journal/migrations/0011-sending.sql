-- The emergency brake: whether creates may be claimed is what the latest row says; no row: they may.
create table giro.sending (
  record_id bigint primary key,
  stopped boolean not null,
  -- As named by whoever ran it: Giro does not authenticate people.
  operator text not null check (char_length(operator) between 1 and 100),
  reason text not null check (char_length(reason) between 1 and 200),
  recorded_at timestamptz not null
);
create trigger append_only before update or delete or truncate on giro.sending
  for each statement execute function giro.refuse_change();
alter table giro.sending enable always trigger append_only;
grant select, insert on giro.sending to giro_runtime;

-- A change of the brake waits for the claims under way, and later claims wait for it: once `sending stop` has
-- returned, each create was either claimed before or is refused. Row numbers follow the order of the changes.
create function giro.guard_sending() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.sending', 0));
  new.record_id := nextval('giro.record_id');
  new.recorded_at := clock_timestamp();
  return new;
end
$$;
create trigger guard before insert on giro.sending for each row execute function giro.guard_sending();

create function giro.guard_sending_of_create() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('giro.sending', 0));
  if (select s.stopped from giro.sending s order by s.record_id desc limit 1) then
    raise exception 'giro: request % of transfer % is not claimable: sending is stopped', new.number, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$$;
create trigger sending before insert on giro.request for each row when (new.kind = 'create')
  execute function giro.guard_sending_of_create();

revoke execute on function giro.guard_sending(), giro.guard_sending_of_create() from public;
