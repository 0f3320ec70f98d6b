-- What is tracked is open only as long as it has no outcome, in whichever order the two are written down.
create or replace function giro.list_open_verification() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if new.is_tracked then
    insert into giro.open_verification (request_id, looked_at)
    select new.request_id, new.recorded_at
    where not exists (select from giro.verification_outcome o where o.request_id = new.request_id)
    on conflict (request_id) do nothing;
  else
    delete from giro.open_verification o where o.request_id = new.request_id;
  end if;
  return null;
end
$$;
