-- The emergency brake, the audit trail, and statistics.

-- The emergency brake: the latest row says whether creates may be claimed. No row: they may.
create table giro.sending (
  record_id bigint primary key,
  stopped boolean not null,
  -- As named by the caller: Giro does not authenticate people.
  operator text not null check (giro.is_operator(operator)),
  reason text not null check (char_length(reason) between 1 and 200),
  recorded_at timestamptz not null
);

-- A change of the brake waits for claims that have begun, and later claims wait for the change. So once `sending stop`
-- has returned, each create was either claimed before or is refused. `record_id` follows the order of the changes.
create function giro.guard_sending() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.sending', 0));
  new.record_id := nextval('giro.record_id');
  -- Later changes have later times, even if the clock was set back (`recover_stop` compares them, to the millisecond).
  new.recorded_at := greatest(clock_timestamp(), new.recorded_at, (
    select s.recorded_at + interval '1 millisecond' from giro.sending s order by s.record_id desc limit 1
  ));
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

-- The audit trail: what people did or read, and why. No rule about transfers reads this table.
create table giro.audit (
  record_id bigint primary key default nextval('giro.record_id'),
  action text not null check (action ~ '^[a-z][a-z-]{0,39}( [a-z][a-z-]{0,39})?$'),
  -- What the action was about: an originId, an event type…; null: all of Giro.
  subject text check (char_length(subject) between 1 and 255),
  -- As named by the caller: Giro does not authenticate people.
  operator text not null check (giro.is_operator(operator)),
  reason text check (char_length(reason) between 1 and 1000),
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  recorded_at timestamptz not null default clock_timestamp()
);
create index audit_subject on giro.audit (subject, record_id);

do $$
declare
  name text;
begin
  foreach name in array array['sending', 'audit'] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;

-- Records a `sending stop` that a worker has seen and a failover has lost. Returns false if the brake is on, or was
-- changed after this stop. Runs as the owner, because a worker may stop sending but not release the brake. The new row
-- gets the time of the lost stop, at most a minute ahead: the clock of this server may be behind that of the lost one.
create function giro.recover_stop(stopped_at timestamptz, operator text, reason text) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.sending', 0));
  if exists (
    select from (select s.stopped, s.recorded_at from giro.sending s order by s.record_id desc limit 1) last
    where last.stopped or last.recorded_at >= stopped_at
  ) then
    return false;
  end if;
  insert into giro.sending (stopped, operator, reason, recorded_at)
  values (
    true, recover_stop.operator, recover_stop.reason, least(stopped_at, clock_timestamp() + interval '1 minute')
  );
  insert into giro.audit (action, operator, reason) values ('recover stop', recover_stop.operator, recover_stop.reason);
  return true;
end
$$;

-- A cache: statistics of the journal, kept for some seconds, so that many readers do not compute them many times. Not a
-- record.
create table giro.statistics (
  only_row boolean primary key default true check (only_row),
  taken_at timestamptz not null,
  counts jsonb not null
);
insert into giro.statistics (taken_at, counts) values ('-infinity', '{}');

-- The journal sets the time: with a time in the future, false statistics would stay in the cache.
create function giro.date_statistics() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  new.taken_at := clock_timestamp();
  return new;
end
$$;
create trigger date_statistics before update of counts on giro.statistics for each row execute function giro.date_statistics();
