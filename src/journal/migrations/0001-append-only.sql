-- Two layers keep what is recorded. Giro works as a role that is neither owner nor superuser: what is not granted stays
-- impossible. And triggers refuse changes to everyone, owner and superuser included.

-- Roles belong to the whole server: another database may be creating this one at the same moment.
do $$
begin
  begin
    create role giro_runtime nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  exception
    when duplicate_object or unique_violation then null;
    when insufficient_privilege then
      if not exists (select from pg_catalog.pg_roles where rolname = 'giro_runtime') then
        raise exception 'this login may not create the role giro_runtime'
          using errcode = 'insufficient_privilege',
            hint = 'An administrator runs: CREATE ROLE giro_runtime NOLOGIN; GRANT giro_runtime TO the login.';
      end if;
  end;

  if exists (
    select from pg_catalog.pg_roles
    where rolname = 'giro_runtime' and (rolsuper or rolcreaterole or rolbypassrls)
  ) then
    raise exception 'the role giro_runtime has rights that it must not have (superuser, createrole or bypassrls)';
  end if;

  -- Since PostgreSQL 16 the creator of a role administers it, but may not take it without this grant.
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    begin
      execute format('grant giro_runtime to %I', current_user);
    exception
      when unique_violation then null;
      when insufficient_privilege then null; -- who may take the role is then the administrator's to grant
    end;
  end if;
end
$$;

do $$ begin create role giro_receiver nologin; execute format('grant giro_receiver to %I', current_user); exception when duplicate_object or unique_violation or insufficient_privilege then null; end $$;
grant usage on schema giro to giro_runtime, giro_receiver;
-- A program checks with it which migrations the journal lacks.
grant select on giro.migration to giro_runtime, giro_receiver;

-- The trigger `append_only` of each table of records. It fires for the statement, so that a change of no row is refused
-- too, and in replica mode (`enable always`). GR003: a change of what is recorded.
create function giro.refuse_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'giro.% is append-only: % refused', tg_table_name, tg_op using errcode = 'GR003';
end
$$;
revoke execute on function giro.refuse_change() from public;

create trigger append_only before update or delete or truncate on giro.migration
  for each statement execute function giro.refuse_change();
alter table giro.migration enable always trigger append_only;
