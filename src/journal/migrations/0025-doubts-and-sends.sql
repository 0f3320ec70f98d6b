-- Which PostgreSQL this is: another identifier or timeline means that last commits may be lost (a failover).
create function giro.journal_id() returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_is_in_recovery() then
    raise exception 'giro: a standby does not know its timeline' using errcode = 'read_only_sql_transaction';
  end if;
  return (select c.system_identifier::text from pg_control_system() c)
    || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
end
$$;

-- That a create of a transfer may have reached the bank without a line of it here.
create table giro.doubt (
  record_id bigint primary key default nextval('giro.record_id'),
  origin_id bigint not null references giro.transfer (origin_id),
  reason text not null check (reason in ('restored', 'requests-lost', 'journal-changed')),
  recorded_at timestamptz not null default clock_timestamp()
);
create index doubt_of on giro.doubt (origin_id, record_id);
create trigger append_only before update or delete or truncate on giro.doubt
  for each statement execute function giro.refuse_change();
alter table giro.doubt enable always trigger append_only;
grant select, insert on giro.doubt to giro_runtime;

insert into giro.doubt (origin_id, reason, recorded_at)
select t.origin_id, 'restored', x.recorded_at
from giro.restoration x
join giro.transfer t on t.origin_id = x.origin_id
  or x.origin_id is null and t.opened_at < x.recorded_at and t.origin_id in (select o.origin_id from giro.open_transfer o);
drop table giro.restoration;

-- What operators decided under: `resume` of a mismatch is told from that of another flag.
alter table giro.decision add column flags text[] not null default '{}';
-- Last request that its run knew of: answers to later ones were not looked at, whenever they were written.
alter table giro.decision add column after_number integer not null default 0;
alter table giro.decision disable trigger append_only;
update giro.decision d set after_number = coalesce((
  select max(r.number) from giro.request r where r.origin_id = d.origin_id and r.claimed_at < d.recorded_at
), 0);
update giro.decision d set flags = f.reasons
from giro.flags f
where d.outcome <> 'voided' and f.origin_id = d.origin_id and f.seq = (
  select max(l.seq) from giro.flags l where l.origin_id = d.origin_id and l.record_id < d.record_id
);
alter table giro.decision enable always trigger append_only;
-- Why `JOURNAL_CONFLICT` is open.
alter table giro.flags add column conflict text;
-- Of a create: how long repeats may follow, noted when it was claimed; null, of one claimed before: an hour.
alter table giro.request add column resend_until timestamptz;

-- Creates that may have reached the bank; a doubt (without a number) is one more.
create view giro.perhaps_sent as
select r.origin_id, r.number, r.claimed_at, r.resend_until
from giro.request r left join giro.answer a using (origin_id, number)
where r.kind = 'create' and a.kind is distinct from 'not-sent'
union all
select d.origin_id, null, d.recorded_at, null from giro.doubt d;
grant select on giro.perhaps_sent to giro_runtime;

-- Why no further create of a transfer may leave; null: one may.
create function giro.create_refusal(origin_id bigint) returns text
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select case
    when sent.doubts > 0 then 'the journal has lost requests of it'
    when exists (
      select from giro.answer a where a.origin_id = create_refusal.origin_id and a.kind = 'movement'
    ) then 'a look-up found a movement'
    when sent.creates >= 3 then 'three creates may have reached the bank'
    when sent.resend_until < clock_timestamp() then 'the time for repeats is over'
  end
  from (
    select count(*) filter (where p.number is null) as doubts, count(p.number) as creates,
      (array_agg(coalesce(p.resend_until, p.claimed_at + interval '1 hour') order by p.number))[1] as resend_until
    from giro.perhaps_sent p where p.origin_id = create_refusal.origin_id
  ) sent
$$;

-- A claim follows the last one, nothing follows a withdrawal or a result; a withdrawal follows only creates that
-- surely did not reach the bank, and a create what `create_refusal` lets through.
create or replace function giro.guard_request() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  last_number integer;
  last_kind text;
begin
  perform giro.lock_transfer(new.origin_id);
  select r.number, r.kind into last_number, last_kind
  from giro.request r where r.origin_id = new.origin_id order by r.number desc limit 1;

  if new.number <= last_number then
    return new; -- the primary key answers
  end if;
  if new.number <> coalesce(last_number, 0) + 1
    or last_kind = 'withdrawal'
    or exists (select from giro.result e where e.origin_id = new.origin_id)
    or (new.kind = 'withdrawal' and exists (
      select from giro.perhaps_sent p where p.origin_id = new.origin_id
    ))
    or (new.kind = 'create' and giro.create_refusal(new.origin_id) is not null)
  then
    raise exception 'giro: request % (%) of transfer % is not claimable', new.number, new.kind, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$$;

-- A doubt is a claim's rival: neither may miss the other.
create function giro.guard_doubt() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_transfer(new.origin_id);
  return new;
end
$$;
create trigger guard before insert on giro.doubt for each row execute function giro.guard_doubt();

-- A decision from which on movement ids are told anew (`forgetsIds` in the domain).
create function giro.forgets_ids(decision giro.decision) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select decision.outcome = 'resumed' and 'ECHO_MISMATCH' = any(decision.flags)
    or decision.outcome = 'accepted' and decision.action = 'resend'
$$;

-- The answer was written after the decision, or belongs to a request that the deciding run did not know (`isAfter` in
-- the domain).
create function giro.is_after(answer giro.answer, decision giro.decision) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select answer.record_id > decision.record_id or answer.number > decision.after_number
$$;

-- Answers to our requests that name different movements, whatever their echo, since operators last looked at a
-- mismatch or had the order sent again: only operators can tell which one is ours.
create or replace function giro.has_two_movements(origin_id bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(distinct a.movement_id) > 1
  from giro.answer a left join lateral (
    select d from giro.decision d
    where d.origin_id = has_two_movements.origin_id and giro.forgets_ids(d)
    order by d.seq desc limit 1
  ) looked on true
  where a.origin_id = has_two_movements.origin_id
    and (looked.d is null or giro.is_after(a, looked.d))
$$;

-- As `operatorKey` has it, in a database of locale C too, where `lower` knows the letters A to Z alone.
do $body$
begin
  if exists (select from pg_collation c where c.collname = 'und-x-icu') then
    create or replace function giro.operator_key(name text) returns text
    language sql immutable
    set search_path = pg_catalog, pg_temp
    as $$
      select lower(btrim(normalize(name, nfkc)) collate "und-x-icu")
    $$;
  end if;
end
$body$;

revoke execute on function giro.forgets_ids(giro.decision), giro.is_after(giro.answer, giro.decision), giro.journal_id(), giro.create_refusal(bigint), giro.guard_doubt() from public;
grant execute on function giro.forgets_ids(giro.decision), giro.is_after(giro.answer, giro.decision), giro.journal_id(), giro.create_refusal(bigint) to giro_runtime;
