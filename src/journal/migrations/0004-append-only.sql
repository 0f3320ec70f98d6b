-- A grant does not bind an owner or a superuser: a trigger does, also in replica mode (`enable always`). It fires
-- for the statement, so that a change of no row is refused too.
create function giro.refuse_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'giro.% is append-only: % refused', tg_table_name, tg_op using errcode = 'GR003';
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array[
    'migration', 'transfer', 'reference', 'request', 'answer', 'result', 'annulment', 'flags'
  ] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;

grant select, insert on
  giro.transfer, giro.reference, giro.request, giro.answer, giro.result, giro.annulment, giro.flags
  to giro_runtime;
grant usage on sequence giro.origin_id, giro.record_id to giro_runtime;
revoke execute on all functions in schema giro from public;
grant execute on function
  giro.lock_transfer(bigint), giro.has_two_movements(bigint), giro.advance_origin_id(bigint)
to giro_runtime;
