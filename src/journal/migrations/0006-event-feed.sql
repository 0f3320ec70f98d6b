-- The feed of events reads several tables in the order of `record_id`. A sequence hands out numbers before the
-- transactions commit, so a reader that has seen number 9 could miss a number 8 that commits later. Therefore each
-- writer of events holds a shared lock until it has committed. The lock says "my numbers are above this one", and the
-- feed is read only up to the lowest of these numbers. Writers never wait for each other or for a reader, and
-- transactions that write no events do not hold the feed back. Transaction ids would not do: an xmin counts every
-- transaction on the server, and no transaction id outlives a dump.

-- 'gfee' as bytes: the first key of the lock; the second is the last number handed out, modulo 2^31.
create function giro.feed_lock_class() returns integer
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select 1735812453 $$;

-- Takes the lock before the statement, because the defaults of its rows take their numbers after that.
create function giro.enter_feed() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  last bigint;
begin
  select last_value - (not is_called)::integer into last from giro.record_id;
  perform pg_advisory_xact_lock_shared(giro.feed_lock_class(), (last & 2147483647)::integer);
  return null;
end
$$;

create trigger enter_feed before insert on giro.result for each statement execute function giro.enter_feed();
create trigger enter_feed before insert on giro.annulment for each statement execute function giro.enter_feed();
create trigger enter_feed before insert on giro.flags for each statement execute function giro.enter_feed();
create trigger enter_feed before insert on giro.decision for each statement execute function giro.enter_feed();

-- The results as events show them, without the text of operators, which may name people. For clients, who may not read
-- `result` in `giro.result`.
create view giro.result_event as
select e.origin_id,
  case when e.result ->> 'decidedBy' = 'operators' then e.result || '{"reason": null}' else e.result end as result
from giro.result e;

-- Up to this number every event has committed, and statements that begin afterwards see it. The caller's own statement
-- may not, because its snapshot is older. The sequence is read before the locks: a number up to `last` was taken under
-- a lock that existed by then, so its transaction either still holds the lock or has committed.
create function giro.feed_horizon() returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  last bigint;
  behind bigint;
begin
  if pg_is_in_recovery() then
    raise exception 'giro: locks are not seen on a standby' using errcode = 'read_only_sql_transaction';
  end if;
  select last_value - (not is_called)::integer into last from giro.record_id;
  select max(away) into behind
  from (
    select mod((last & 2147483647) - l.objid::bigint + 2147483648, 2147483648) as away
    from pg_locks l
    where l.locktype = 'advisory' and l.classid::bigint = giro.feed_lock_class() and l.objsubid = 2
      and l.database = (select oid from pg_database where datname = current_database())
  ) held
  where away < 1073741824; -- more: the lock was taken after `last` was read, for numbers above `last`
  return last - coalesce(behind, 0);
end
$$;
