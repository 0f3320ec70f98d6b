-- What must hold whoever writes. A guard takes the transfer's lock first and then looks with a fresh snapshot, so
-- that two sessions cannot each miss what the other is writing. Codes: GR001 lost a race, look again; GR002 refused.

create function giro.lock_transfer(origin_id bigint) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended('giro.transfer', origin_id)) $$;

-- A claim follows the last one, nothing follows a withdrawal or a result, and a withdrawal follows only creates
-- that surely did not reach the bank.
create function giro.guard_request() returns trigger
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
      select from giro.request r left join giro.answer a using (origin_id, number)
      where r.origin_id = new.origin_id and r.kind = 'create' and a.kind is distinct from 'not-sent'
    ))
  then
    raise exception 'giro: request % (%) of transfer % is not claimable', new.number, new.kind, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.request for each row execute function giro.guard_request();

create function giro.guard_answer() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  request_kind text;
begin
  select r.kind into request_kind
  from giro.request r where r.origin_id = new.origin_id and r.number = new.number;
  if request_kind = 'create' and new.answer ->> 'kind' in ('answered', 'not-sent', 'refused', 'unknown')
    or request_kind = 'lookup' and new.answer ->> 'kind' in ('movement', 'not-found', 'no-answer')
  then
    return new;
  end if;
  raise exception 'giro: request % of transfer % (%) has no answer of this kind', new.number, new.origin_id,
    coalesce(request_kind, 'not claimed') using errcode = 'GR002';
end
$$;
create trigger guard before insert on giro.answer for each row execute function giro.guard_answer();

-- Answers that match the order and name different movements: only operators can tell which one is ours.
create function giro.has_two_movements(origin_id bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(distinct a.movement_id) > 1 from giro.answer a
  where a.origin_id = has_two_movements.origin_id and a.echo in ('match', 'incomplete')
$$;

-- An annulment needs the bank's FAILED with a matching echo, or two operators. Never a time-out, an error, a
-- not-found or age.
create function giro.guard_annulment() returns trigger
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
  elsif (select count(distinct o) from unnest(new.operators) o where btrim(o) <> '') < 2 then
    raise exception 'giro: annulment of transfer % refused: it needs two different operators', new.origin_id
      using errcode = 'GR002';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.annulment for each row execute function giro.guard_annulment();

create function giro.guard_result() returns trigger
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
create trigger guard before insert on giro.result for each row execute function giro.guard_result();

-- The sequence goes on from `next` or later. Altering it keeps every nextval waiting until this transaction ends;
-- only the owner may, hence security definer.
create function giro.advance_origin_id(next bigint) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  upcoming bigint;
begin
  alter sequence giro.origin_id no cycle;
  select last_value + is_called::integer into upcoming from giro.origin_id;
  if next > upcoming then
    execute format('alter sequence giro.origin_id restart with %s', next);
  end if;
end
$$;
