-- What operators decided, and proposals that came to nothing: every line of it, in order.
create table giro.decision (
  origin_id bigint not null references giro.transfer (origin_id),
  seq integer not null check (seq >= 1),
  record_id bigint not null unique default nextval('giro.record_id'),
  -- Given by who decides, so that a repeated step writes one line.
  id text not null,
  outcome text not null check (outcome in ('proposed', 'accepted', 'resumed', 'withdrawn', 'voided')),
  action text check (
    action in ('resume', 'resend', 'accept-not-taken', 'accept-completed', 'accept-failed', 'withdraw')
  ),
  operator text check (btrim(operator) <> ''),
  operators text[] not null,
  reason text not null,
  bank_status text,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, seq),
  unique (origin_id, id),
  check ((outcome = 'voided') = (operator is null) and (outcome = 'voided') = (action is null)),
  check (case outcome
    when 'resumed' then action = 'resume'
    when 'withdrawn' then action = 'withdraw'
    when 'voided' then true
    else action not in ('resume', 'withdraw')
  end)
);

-- Two spellings of one name are one operator (as `operatorKey` has it): outer spaces, case and width do not count.
create function giro.operator_key(name text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select lower(btrim(normalize(name, nfkc)))
$$;

-- The proposals that a second operator may accept: the latest of each operator since the last line that ended them.
create function giro.live_proposals(origin_id bigint)
returns table (seq integer, id text, action text, operator text, reason text, bank_status text, recorded_at timestamptz)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select distinct on (giro.operator_key(d.operator))
    d.seq, d.id, d.action, d.operator, d.reason, d.bank_status, d.recorded_at
  from giro.decision d
  where d.origin_id = live_proposals.origin_id and d.outcome = 'proposed' and d.seq > coalesce((
    select max(e.seq) from giro.decision e
    where e.origin_id = live_proposals.origin_id and e.outcome <> 'proposed'
  ), 0)
  order by giro.operator_key(d.operator), d.seq desc
$$;

-- Who decided, when the last line is an acceptance of this action; null: nobody.
create function giro.accepted_by(origin_id bigint, action text) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when d.outcome = 'accepted' and d.action = accepted_by.action then d.operators end
  from giro.decision d where d.origin_id = accepted_by.origin_id
  order by d.seq desc limit 1
$$;

-- An acceptance rests on the live proposal of another operator. After the end nothing is decided; what was decided
-- before may still be written down.
create function giro.guard_decision() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_transfer(new.origin_id);
  if new.seq <> coalesce((select max(d.seq) from giro.decision d where d.origin_id = new.origin_id), 0) + 1 then
    raise exception 'giro: decision % of transfer % is out of order', new.seq, new.origin_id
      using errcode = 'GR001';
  end if;
  if new.outcome in ('proposed', 'accepted', 'withdrawn')
    and exists (select from giro.result e where e.origin_id = new.origin_id)
  then
    raise exception 'giro: decision of transfer % refused: it has ended', new.origin_id using errcode = 'GR002';
  end if;
  if new.outcome = 'accepted' and not exists (
    select from giro.live_proposals(new.origin_id) p
    where p.action = new.action and giro.operator_key(p.operator) <> giro.operator_key(new.operator)
      and new.operators = array[p.operator, new.operator]
  ) then
    raise exception 'giro: decision of transfer % refused: no other operator has proposed %', new.origin_id,
      new.action using errcode = 'GR002';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.decision for each row execute function giro.guard_decision();
-- Its lines are events.
create trigger enter_feed before insert on giro.decision for each statement execute function giro.enter_feed();

-- Operators who resume a transfer, or have it sent again, have looked at what differed until then.
create or replace function giro.has_two_movements(origin_id bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(distinct a.movement_id) > 1 from giro.answer a
  where a.origin_id = has_two_movements.origin_id and a.echo in ('match', 'incomplete')
    and a.record_id > coalesce((
      select max(d.record_id) from giro.decision d
      where d.origin_id = has_two_movements.origin_id
        and (d.outcome = 'resumed' or d.outcome = 'accepted' and d.action = 'resend')
    ), 0)
$$;

-- As before, and an annulment by operators needs the acceptance of two of them as the last line of their record.
create or replace function giro.guard_annulment() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_transfer(new.origin_id);
  if new.decided_by = 'bank' then
    if not exists (
      select from giro.answer a
      where a.origin_id = new.origin_id and a.number = new.evidence_number
        and a.bank_status = 'FAILED' and a.echo = 'match'
    ) then
      raise exception 'giro: annulment of transfer % refused: no matching answer FAILED under request %',
        new.origin_id, coalesce(new.evidence_number::text, 'none') using errcode = 'GR002';
    end if;
    if giro.has_two_movements(new.origin_id) then
      raise exception 'giro: annulment of transfer % refused: answers name two movement ids', new.origin_id
        using errcode = 'GR002';
    end if;
    if cardinality(new.operators) > 0 then
      raise exception 'giro: annulment of transfer % refused: the bank decided it, not operators', new.origin_id
        using errcode = 'GR002';
    end if;
  elsif giro.accepted_by(new.origin_id, 'accept-failed') is distinct from new.operators then
    raise exception 'giro: annulment of transfer % refused: no recorded decision of two operators', new.origin_id
      using errcode = 'GR002';
  end if;
  return new;
end
$$;

-- As before, and a result by operators needs the acceptance of its very action as the last line of their record.
create or replace function giro.guard_result() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  status text := new.result ->> 'status';
  decided_by text := coalesce(new.result ->> 'decidedBy', '');
  withdrawn boolean;
begin
  perform giro.lock_transfer(new.origin_id);
  if exists (select from giro.result e where e.origin_id = new.origin_id) then
    return new; -- the primary key answers
  end if;
  select r.kind = 'withdrawal' into withdrawn
  from giro.request r where r.origin_id = new.origin_id order by r.number desc limit 1;

  if (status = 'WITHDRAWN') <> coalesce(withdrawn, false) then
    raise exception 'giro: result % of transfer % refused: its withdrawal is %', status, new.origin_id,
      case when withdrawn then 'claimed' else 'not claimed' end using errcode = 'GR002';
  end if;
  if decided_by = 'operators' then
    if giro.accepted_by(new.origin_id, case status
      when 'COMPLETED' then 'accept-completed' when 'FAILED' then 'accept-failed' when 'REFUSED' then 'accept-not-taken'
    end) is null then
      raise exception 'giro: result % of transfer % refused: no recorded decision of two operators', status,
        new.origin_id using errcode = 'GR002';
    end if;
    return new;
  end if;
  if status = 'COMPLETED' and not exists (
    select from giro.answer a
    where a.origin_id = new.origin_id and a.bank_status = 'COMPLETED' and a.echo = 'match'
  ) then
    raise exception 'giro: result COMPLETED of transfer % refused: no matching answer COMPLETED', new.origin_id
      using errcode = 'GR002';
  end if;
  if status = 'COMPLETED' and giro.has_two_movements(new.origin_id) then
    raise exception 'giro: result COMPLETED of transfer % refused: answers name two movement ids', new.origin_id
      using errcode = 'GR002';
  end if;
  if status = 'REFUSED' and (
    not exists (select from giro.answer a where a.origin_id = new.origin_id and a.kind = 'refused')
    or exists (
      select from giro.answer a
      where a.origin_id = new.origin_id and (a.kind = 'movement' or a.echo in ('match', 'incomplete'))
    )
  ) then
    raise exception 'giro: result REFUSED of transfer % refused: the bank did not refuse, or knows it', new.origin_id
      using errcode = 'GR002';
  end if;
  return new;
end
$$;

create trigger append_only before update or delete or truncate on giro.decision
  for each statement execute function giro.refuse_change();
alter table giro.decision enable always trigger append_only;
grant select, insert on giro.decision to giro_runtime;
revoke execute on function giro.live_proposals(bigint), giro.accepted_by(bigint, text), giro.operator_key(text),
  giro.guard_decision() from public;
grant execute on function giro.live_proposals(bigint), giro.accepted_by(bigint, text), giro.operator_key(text) to giro_runtime;
