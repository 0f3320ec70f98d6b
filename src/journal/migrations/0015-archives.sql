-- Archives: files with old answers, which may then be deleted here. Only answers may be deleted: orders, requests,
-- results, annulments, flags and decisions stay for ever.

-- The archives whose answers may be deleted. Each covers the transfers that ended in its span, and holds those of their
-- answers that were superseded (`is_superseded`).
create table giro.archive (
  -- SHA-256 of the file.
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  ended_from timestamptz not null,
  ended_before timestamptz not null,
  transfers bigint not null check (transfers >= 1),
  answers bigint not null check (answers >= transfers),
  operator text not null check (giro.is_operator(operator)),
  recorded_at timestamptz not null default clock_timestamp(),
  check (ended_from < ended_before)
);
create trigger append_only before update or delete or truncate on giro.archive
  for each statement execute function giro.refuse_change();
alter table giro.archive enable always trigger append_only;

-- True if no rule needs this answer any more. The bank completed the transfer at least a year ago; the last answer, from
-- before the result, has the result's status and all its ids; this answer names the same movement, or none. An answer
-- DELAYED stays, because it allows a later end (break LATE). A transfer with a flag, a decision, a doubt, an incident or
-- a break keeps all its answers. After the same year, `guard_answer` refuses answers to the transfer's requests.
create function giro.is_superseded(answer giro.answer) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from giro.result e cross join lateral (
      select a.* from giro.answer a where a.origin_id = e.origin_id order by a.number desc limit 1
    ) last
    where e.origin_id = answer.origin_id and e.status = 'COMPLETED' and e.result ->> 'decidedBy' = 'bank'
      and e.recorded_at <= clock_timestamp() - interval '8760 hours'
      -- An answer that came after the result is no evidence for it.
      and last.number > answer.number and last.record_id < e.record_id
      and (last.kind, last.bank_status, last.echo) = ('movement', 'COMPLETED', 'match')
      and (last.movement_id, last.network, last.network_id) is not distinct from (
        e.result ->> 'movementId', e.result ->> 'network', e.result ->> 'networkId'
      )
      and answer.kind in ('answered', 'movement') and answer.echo = 'match'
      and answer.bank_status in ('CREATED', 'IN_PROGRESS', 'COMPLETED')
      and coalesce(answer.movement_id, last.movement_id) is not distinct from last.movement_id
      and coalesce(answer.network_id, last.network_id) is not distinct from last.network_id
      and not exists (select from giro.flags f where f.origin_id = e.origin_id)
      and not exists (select from giro.decision d where d.origin_id = e.origin_id)
      and not exists (select from giro.doubt d where d.origin_id = e.origin_id)
      and not exists (select from giro.inquiry_answer i where i.origin_id = e.origin_id and i.incident_id is not null)
      and not exists (select from giro.break b where b.origin_id = e.origin_id)
  )
$$;

-- `gone`: the rows that the statement has deleted. The guard holds the locks of their transfers, so it misses no flag,
-- decision, doubt or incident. A break takes no such lock: the guard may miss a break that commits at the same time.
create function giro.guard_archived_answers() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  needed giro.answer;
begin
  perform giro.lock_transfer(d.origin_id) from (select distinct g.origin_id from gone g order by g.origin_id) d;
  select g.* into needed
  from gone g left join giro.result e using (origin_id)
  where not giro.is_superseded(g) or not exists (
    select from giro.archive r where r.ended_from <= e.recorded_at and e.recorded_at < r.ended_before
  )
  limit 1;
  if found then
    raise exception 'giro.answer is append-only: DELETE refused: answer % of transfer % is needed, or in no archive',
      needed.number, needed.origin_id using errcode = 'GR003';
  end if;
  return null;
end
$$;

drop trigger append_only on giro.answer;
create trigger append_only before update or truncate on giro.answer
  for each statement execute function giro.refuse_change();
alter table giro.answer enable always trigger append_only;
create trigger kept after delete on giro.answer referencing old table as gone
  for each statement execute function giro.guard_archived_answers();
alter table giro.answer enable always trigger kept;

-- Only the owner writes archives and deletes answers.
revoke execute on function giro.is_superseded(giro.answer), giro.guard_archived_answers() from public;
grant execute on function giro.is_superseded(giro.answer) to giro_operator;
grant select on giro.archive to giro_runtime, giro_operator;
