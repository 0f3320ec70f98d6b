-- Rules that hold whoever writes. A guard that reads rows which may still change takes the transfer's lock first, and
-- then reads with a fresh snapshot: so neither of two sessions can miss what the other writes. GR001: read again,
-- another session may have been faster. GR002: refused.

create function giro.lock_transfer(origin_id bigint) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended('giro.transfer', origin_id)) $$;

-- Equal for spellings of an operator's name that differ only in case (`operatorKey` in the domain).
create function giro.operator_key(name text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select lower(name collate "C") $$;

-- The proposals that a second operator may accept: the latest of each operator since the last row that is no proposal,
-- because such a row ends all proposals.
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

-- The operators who decided, if the latest row is an acceptance of this action; otherwise null.
create function giro.accepted_by(origin_id bigint, action text) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when d.outcome = 'accepted' and d.action = accepted_by.action then d.operators end
  from giro.decision d where d.origin_id = accepted_by.origin_id
  order by d.seq desc limit 1
$$;

-- An acceptance needs the live proposal of another operator. After the result, only a resume and voided proposals may
-- still be recorded.
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
  -- A `resend` permits creates until one with a number above `after_number` may have reached the bank. With a number
  -- above the journal's last request, it could permit more than one create.
  if new.outcome = 'accepted' and new.action = 'resend' and new.after_number > coalesce((
    select max(r.number) from giro.request r where r.origin_id = new.origin_id
  ), 0) then
    raise exception 'giro: decision of transfer % refused: it names a request that the journal does not have',
      new.origin_id using errcode = 'GR002';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.decision for each row execute function giro.guard_decision();

-- Whether the movement ids of earlier answers no longer count after this decision (`forgetsIds` in the domain).
create function giro.forgets_ids(decision giro.decision) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select decision.outcome = 'resumed' and 'ECHO_MISMATCH' = any(decision.flags)
    or decision.outcome = 'accepted' and decision.action = 'resend'
$$;

-- Whether the answer was recorded after the decision, or belongs to a request that the deciding run did not know
-- (`isAfter` in the domain).
create function giro.is_after(answer giro.answer, decision giro.decision) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select answer.record_id > decision.record_id or answer.number > decision.after_number
$$;

-- Whether answers to our requests name different movements, whatever their echo, since operators last resumed an
-- ECHO_MISMATCH or accepted a `resend`. Then only operators can tell which movement is ours.
create function giro.has_two_movements(origin_id bigint) returns boolean
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

-- Whether look-ups alone no longer permit another create after this decision (`takesRepeatAway` in the domain).
-- `was_sent`: a create may have reached the bank before the decision. Their times are compared, not their numbers,
-- because the numbers of a run may be ahead of a restored journal.
create function giro.takes_repeat_away(decision giro.decision, was_sent boolean) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select decision.outcome = 'accepted' and decision.action = 'resend'
    or decision.outcome = 'resumed' and (
      decision.flags && array['OUTCOME_UNKNOWN', 'VANISHED']
      or was_sent and decision.flags && array['JOURNAL_CONFLICT', 'ORDER_TAMPERED']
    )
$$;

-- `after_number` of the latest accepted `resend`; null: there is none, or operators have decided otherwise since.
create function giro.resend_after(origin_id bigint) returns integer
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when d.outcome = 'accepted' and d.action = 'resend' then d.after_number end
  from giro.decision d
  where d.origin_id = resend_after.origin_id and (d.outcome = 'accepted' or giro.takes_repeat_away(d, true))
  order by d.seq desc limit 1
$$;

-- Whether operators have accepted an end that still counts: since then there is no resume, no accepted `resend` and no
-- voided row. A run that was lost before it recorded the result leaves a voided row.
create function giro.is_end_accepted(origin_id bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select d.outcome = 'accepted' and d.action <> 'resend'
    from giro.decision d
    where d.origin_id = is_end_accepted.origin_id and d.outcome in ('accepted', 'resumed', 'voided')
    order by d.seq desc limit 1
  ), false)
$$;

-- Whether a create was not sent because Giro does not trust its order: the order is in clear, was altered, breaks the
-- limits or has no valid proof (`isUnbelieved` in the domain).
create function giro.is_unbelieved(answer giro.answer) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select answer.kind = 'not-sent'
    and answer.details #>> '{error,code}' ~ '^(IN_CLEAR|ANOTHER_ORDER|ANOTHER_BODY|BEYOND_LIMITS|PROOF_[A-Z_]+)$'
$$;

-- Holds that only operators can lift, and that were raised since operators last lifted one (`standingHolds` in the
-- domain). Exception: a reported movement also ends ORDER_TAMPERED (`note_status`). Later flags without the hold do not
-- lift it, because an administrator of Temporal can write flags.
create function giro.standing_holds(origin_id bigint) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(distinct raised.reason), '{}')
  from (
    select f.record_id, f_reason.reason
    from giro.flags f cross join unnest(f.reasons) f_reason (reason)
    where f.origin_id = standing_holds.origin_id and f_reason.reason in ('ORDER_TAMPERED', 'JOURNAL_CONFLICT')
    union all
    select a.record_id, 'ORDER_TAMPERED'
    from giro.answer a where a.origin_id = standing_holds.origin_id and giro.is_unbelieved(a)
  ) raised
  where raised.record_id > coalesce((
    select max(d.record_id) from giro.decision d
    where d.origin_id = standing_holds.origin_id
      and (d.outcome = 'resumed' or d.outcome = 'accepted' and d.action = 'resend')
  ), 0)
$$;

-- Counts the look-ups after create `number` that found nothing. A look-up counts only if it was claimed after the
-- create had ended, because until then the create might still arrive. A look-up without a recorded answer counts like
-- the latest answer recorded by the time of its claim: the bank repeated that answer, or the look-up was lost.
create function giro.not_found_after(origin_id bigint, number integer) returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(*)
  from (
    select least(a.recorded_at, coalesce(c.in_flight_until, c.claimed_at + interval '1 hour')) as ended_at
    from giro.request c left join giro.answer a using (origin_id, number)
    where c.origin_id = not_found_after.origin_id and c.number = not_found_after.number
  ) sent
  join giro.request r on r.origin_id = not_found_after.origin_id and r.number > not_found_after.number
    and r.kind = 'lookup' and r.claimed_at >= sent.ended_at
  cross join lateral (
    select a.kind from giro.answer a
    where a.origin_id = r.origin_id
      and (a.number = r.number or a.number < r.number and a.recorded_at <= r.claimed_at)
    order by a.number desc limit 1
  ) answered
  where answered.kind = 'not-found'
$$;

-- Why no create of a transfer may ever leave again, whatever look-ups find and operators decide; null: a create may
-- still leave. Stable, although it reads the clock, so it sees the snapshot of the calling statement. A claim that loses a
-- race then finds the winner's request, not a refusal that the winner caused.
create function giro.sending_over(origin_id bigint) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when sent.doubts > 0 then 'the journal has lost requests of it'
    when exists (
      select from giro.answer a where a.origin_id = sending_over.origin_id and a.kind = 'movement'
    ) then 'a look-up found a movement'
    when sent.creates >= 3 then 'three creates may have reached the bank'
    when sent.resend_until < clock_timestamp() then 'the time for repeats is over'
  end
  from (
    select count(*) filter (where p.number is null) as doubts, count(p.number) as creates,
      (array_agg(coalesce(p.resend_until, p.claimed_at + interval '1 hour') order by p.number))[1] as resend_until
    from giro.perhaps_sent p where p.origin_id = sending_over.origin_id
  ) sent
$$;

-- Why no further create of a transfer may leave now; null: one may. Every claim must meet the conditions under which a
-- run repeats a create (`mayRepeatSend` in the domain), because an administrator of Temporal can schedule a claim
-- without a run.
create function giro.create_refusal(origin_id bigint) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(giro.sending_over(create_refusal.origin_id), case
    when giro.is_end_accepted(create_refusal.origin_id) then 'operators have accepted an end'
    when cardinality(giro.standing_holds(create_refusal.origin_id)) > 0 then 'it is held until operators resume it'
    when sent.creates = 0 or giro.resend_after(create_refusal.origin_id) >= sent.last then null
    when exists (
      select from giro.answer a
      where a.origin_id = create_refusal.origin_id and a.kind = 'answered' and a.echo <> 'mismatch'
    ) or exists (
      select from giro.decision d
      where d.origin_id = create_refusal.origin_id and giro.takes_repeat_away(d, sent.first_at <= d.recorded_at)
    ) then 'only operators have it sent again'
    when sent.creates = 1 and exists (
      select from giro.answer a
      where a.origin_id = create_refusal.origin_id and a.number = sent.last and a.kind = 'refused'
    ) then 'the bank refused the only one'
    when giro.has_two_movements(create_refusal.origin_id) then 'answers name two movements'
    when giro.not_found_after(create_refusal.origin_id, sent.last) < 12
    then 'fewer than 12 look-ups have found nothing since the last create'
  end)
  from (
    select count(p.number) as creates, min(p.claimed_at) as first_at, max(p.number) as last
    from giro.perhaps_sent p where p.origin_id = create_refusal.origin_id
  ) sent
$$;

-- A claim takes the number after the last one. Nothing is claimed after a withdrawal or a result. A withdrawal needs
-- that no create may have reached the bank; a create needs that `create_refusal` is null.
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
    return new; -- the primary key refuses the row
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
create trigger guard before insert on giro.request for each row execute function giro.guard_request();

-- A doubt forbids creates and a withdrawal, so neither session may miss what the other writes.
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

-- Creates and look-ups have different kinds of answers; a withdrawal has no answer. A year after the end of a transfer
-- its requests take no answer: from then on `archive prune` may delete answers (`is_superseded`), which frees their
-- numbers. The year is counted in hours, because the length of a day depends on the session's time zone, which each
-- login can set. A repeat is skipped here and not left to the primary key, because the row may be deleted meanwhile.
create function giro.guard_answer() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  request_kind text;
begin
  select r.kind into request_kind
  from giro.request r where r.origin_id = new.origin_id and r.number = new.number;
  if request_kind = 'create' and new.kind in ('answered', 'not-sent', 'refused', 'unknown')
    or request_kind = 'lookup' and new.kind in ('movement', 'not-found', 'no-answer')
  then
    if not exists (
      select from giro.result e
      where e.origin_id = new.origin_id and e.recorded_at <= clock_timestamp() - interval '8760 hours'
    ) then
      return new;
    end if;
    if exists (select from giro.answer a where a.origin_id = new.origin_id and a.number = new.number) then
      return null;
    end if;
    raise exception 'giro: answer % of transfer % refused: the transfer ended more than a year ago', new.number,
      new.origin_id using errcode = 'GR002';
  end if;
  raise exception 'giro: request % of transfer % (%) has no answer of this kind', new.number, new.origin_id,
    coalesce(request_kind, 'not claimed') using errcode = 'GR002';
end
$$;
create trigger guard before insert on giro.answer for each row execute function giro.guard_answer();

-- Only a mismatch has differing values to decide about.
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
create trigger guard before insert on giro.differing_values
  for each row execute function giro.guard_differing_values();

-- An annulment needs the bank's FAILED with a matching echo, or the recorded acceptance of two operators. A time-out,
-- an error, a not-found or age is never enough. Its bank status, times and evidence must be those of the answer to
-- request `evidence_number`.
create function giro.guard_annulment() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  evidence giro.answer;
begin
  perform giro.lock_transfer(new.origin_id);
  select * into evidence from giro.answer a where a.origin_id = new.origin_id and a.number = new.evidence_number;
  if (new.bank_status, new.evidence_sha256, new.bank_posting_at, new.bank_completed_at) is distinct from (
    evidence.bank_status, encode(evidence.evidence_sha256, 'hex'), evidence.posting_at, evidence.completed_at
  ) then
    raise exception 'giro: annulment of transfer % refused: request % was answered otherwise',
      new.origin_id, coalesce(new.evidence_number::text, 'none') using errcode = 'GR002';
  end if;
  if new.decided_by = 'bank' then
    if evidence.bank_status is distinct from 'FAILED' or evidence.echo is distinct from 'match' then
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
create trigger guard before insert on giro.annulment for each row execute function giro.guard_annulment();

-- Whether the annulment agrees with its FAILED result, and both with the order. The annulment is written first. Of an
-- encrypted order only the fingerprint is compared, because the amount cannot be read here.
create function giro.annulment_agrees(transfer_id bigint, result jsonb) returns boolean
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from giro.annulment n join giro.transfer t using (origin_id)
    where n.origin_id = transfer_id
      and (n.id::text, n.amount, n.currency) = (
        result ->> 'annulmentId', (result #>> '{amount,value}')::numeric, result #>> '{amount,currency}'
      )
      and (n.movement_id, n.network, n.network_id, n.decided_by, n.reason) is not distinct from (
        result ->> 'movementId', result ->> 'network', result ->> 'networkId', result ->> 'decidedBy',
        result ->> 'reason'
      )
      and t.order_sha256 = result ->> 'orderSha256'
      and (jsonb_typeof(t.order_json) <> 'object' or (n.amount, n.currency) = (
        (t.order_json #>> '{body,amount}')::numeric, t.order_json #>> '{body,currencyId}'
      ))
  )
$$;

-- A result needs an answer of the bank that shows it, or the recorded acceptance of its status by two operators. Despite
-- an acceptance, a transfer is not REFUSED while the last answer is a movement that matches the order.
-- WITHDRAWN needs the claimed withdrawal.
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
  select t.opened_at into new.opened_at from giro.transfer t where t.origin_id = new.origin_id;
  if exists (select from giro.result e where e.origin_id = new.origin_id) then
    return new; -- the primary key refuses the row
  end if;
  select r.kind = 'withdrawal' into withdrawn
  from giro.request r where r.origin_id = new.origin_id order by r.number desc limit 1;

  if (status = 'WITHDRAWN') <> coalesce(withdrawn, false) then
    raise exception 'giro: result % of transfer % refused: its withdrawal is %', status, new.origin_id,
      case when withdrawn then 'claimed' else 'not claimed' end using errcode = 'GR002';
  end if;
  if status = 'FAILED' and not giro.annulment_agrees(new.origin_id, new.result) then
    raise exception 'giro: result FAILED of transfer % refused: its annulment does not agree', new.origin_id
      using errcode = 'GR002';
  end if;
  if decided_by = 'operators' then
    if giro.accepted_by(new.origin_id, case status
      when 'COMPLETED' then 'accept-completed' when 'FAILED' then 'accept-failed' when 'REFUSED' then 'accept-not-taken'
    end) is null then
      raise exception 'giro: result % of transfer % refused: no recorded decision of two operators', status,
        new.origin_id using errcode = 'GR002';
    end if;
    if status = 'REFUSED' and (
      select a.echo from giro.answer a
      where a.origin_id = new.origin_id and (a.kind = 'not-found' or a.echo is not null)
      order by a.number desc limit 1
    ) = 'match' then
      raise exception 'giro: result REFUSED of transfer % refused: the last answer is a movement that matches the order',
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
    or (select count(*) from giro.perhaps_sent p where p.origin_id = new.origin_id) > 1
    or exists (
      select from giro.answer a
      where a.origin_id = new.origin_id and (a.kind = 'movement' or a.echo in ('match', 'incomplete'))
    )
  ) then
    raise exception 'giro: result REFUSED of transfer % refused: the bank did not refuse its only create, or knows it',
      new.origin_id using errcode = 'GR002';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.result for each row execute function giro.guard_result();
