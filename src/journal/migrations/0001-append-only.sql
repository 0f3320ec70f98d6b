-- Two layers protect the records. Giro's processes work as roles that are neither owner nor superuser, and that can do
-- only what is granted to them (0011-identities.sql). Triggers refuse changes by everyone, owner and superuser
-- included.

-- Roles belong to the whole server, so the migration of another database may create them at the same time.
do $$
declare
  name text;
begin
  foreach name in array array['giro_runtime', 'giro_receiver', 'giro_operator', 'giro_client'] loop
    begin
      execute format('create role %I nologin nosuperuser nocreatedb nocreaterole nobypassrls', name);
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        if not exists (select from pg_catalog.pg_roles where rolname = name) then
          raise exception 'this login may not create the role %', name
            using errcode = 'insufficient_privilege',
              hint = format('An administrator runs: CREATE ROLE %1$I NOLOGIN; GRANT %1$I TO the login of its process.', name);
        end if;
    end;

    if exists (
      select from pg_catalog.pg_roles
      where rolname = name and (rolsuper or rolcreaterole or rolbypassrls)
    ) then
      raise exception 'the role % has rights that it must not have (superuser, createrole or bypassrls)', name;
    end if;

    -- Since PostgreSQL 16 the creator of a role administers it, but may not take it without this grant.
    if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
      begin
        execute format('grant %I to %I', name, current_user);
      exception
        when unique_violation then null;
        when insufficient_privilege then null; -- who may take the role is then the administrator's to grant
      end;
    end if;
  end loop;
end
$$;

grant usage on schema giro to giro_runtime, giro_receiver, giro_operator, giro_client;
-- Each process checks which migrations the journal lacks.
grant select on giro.migration to giro_runtime, giro_receiver, giro_operator, giro_client;

-- The function of trigger `append_only`, which every table of records has. The trigger fires for each statement, so it
-- also refuses a statement that would change no row. With `enable always` it fires in replica mode too. GR003: a record
-- would be changed or deleted.
create function giro.refuse_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'giro.% is append-only: % refused', tg_table_name, tg_op using errcode = 'GR003';
end
$$;

create trigger append_only before update or delete or truncate on giro.migration
  for each statement execute function giro.refuse_change();
alter table giro.migration enable always trigger append_only;
