-- Accounts and tax ids that an answer reports otherwise than they were ordered, for the people who decide about it:
-- encrypted, at most one row an answer. Without a key ring there is none.
create table giro.differing_values (
  origin_id bigint not null,
  number integer not null,
  sealed text not null check (sealed ~ '^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/]+={0,2}$'),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number),
  foreign key (origin_id, number) references giro.answer (origin_id, number)
);

-- Refuses values beside an answer that is no mismatch: there is nothing to decide about them.
create function giro.guard_differing_values() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (
    select from giro.answer a
    where a.origin_id = new.origin_id and a.number = new.number and a.echo = 'mismatch'
  ) then
    raise exception 'giro: differing values of transfer % refused: the answer of request % is no mismatch',
      new.origin_id, new.number using errcode = 'GR002';
  end if;
  return new;
end
$$;
revoke execute on function giro.guard_differing_values() from public;
create trigger guard before insert on giro.differing_values
  for each row execute function giro.guard_differing_values();

create trigger append_only before update or delete or truncate on giro.differing_values
  for each statement execute function giro.refuse_change();
alter table giro.differing_values enable always trigger append_only;
grant select, insert on giro.differing_values to giro_runtime;
