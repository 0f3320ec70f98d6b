-- The verifications that are tracked and have no outcome yet, to be walked in turn however many have ended. Not a
-- record: it follows from `verification_tracking` and `verification_outcome`, and triggers keep it so.
create table giro.open_verification (
  request_id text primary key,
  -- When it was last made sure that a run drives it; at first, when its tracking began.
  looked_at timestamptz not null
);
create index open_verification_turn on giro.open_verification (looked_at, request_id);

create function giro.list_open_verification() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if new.is_tracked then
    insert into giro.open_verification (request_id, looked_at) values (new.request_id, new.recorded_at)
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
  delete from giro.open_verification o where o.request_id = new.request_id;
  return null;
end
$$;
create trigger unlist_open after insert on giro.verification_outcome
  for each row execute function giro.unlist_open_verification();

insert into giro.open_verification (request_id, looked_at)
select t.request_id, t.recorded_at from giro.verification_tracking t
where t.is_tracked
  and not exists (
    select from giro.verification_tracking later where later.request_id = t.request_id and later.seq > t.seq
  )
  and not exists (select from giro.verification_outcome o where o.request_id = t.request_id);

revoke execute on function giro.list_open_verification(), giro.unlist_open_verification() from public;
grant select, update (looked_at) on giro.open_verification to giro_runtime;
