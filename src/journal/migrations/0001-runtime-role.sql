-- The role that Giro works as: neither owner nor superuser, so that what is not granted stays impossible.
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

grant usage on schema giro to giro_runtime;
-- So that a program can tell what the journal lacks.
grant select on giro.migration to giro_runtime;
