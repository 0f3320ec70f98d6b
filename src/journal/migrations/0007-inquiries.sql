-- Inquiries: requests to the bank outside a workflow run, about a transfer after its end (a post-final check) or about
-- an originId without a transfer (an inquiry without transfer). They are not in `giro.request`, whose rows end with the
-- result. Like requests, they are claimed before the first byte goes out, so that only one session sends each inquiry.
create table giro.inquiry (
  origin_id bigint not null,
  number integer not null check (number >= 1),
  -- A command, the workflow id of a reconciliation, or `notified debit`: a worker asks about a debit without an order.
  asked_by text not null check (asked_by ~ '^[a-z][A-Za-z0-9 :-]{0,49}$'),
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number)
);

-- Whether this is the outcome of a look-up (`LookupAnswer` in the domain), so that every reader can read it.
create function giro.is_lookup_answer(answer jsonb) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_typeof(answer) = 'object' and case answer ->> 'kind'
      when 'movement' then jsonb_typeof(answer #> '{movement,status}') = 'string'
        and answer #>> '{movement,echo}' in ('match', 'incomplete', 'mismatch')
        and jsonb_typeof(answer #> '{movement,echoFields}') = 'array'
        and not answer @? '$.movement.echoFields[*] ? (@.type() != "string")'
        and answer #>> '{movement,evidenceSha256}' ~ '^[0-9a-f]{64}$'
        and not answer #> '{movement}' @? '$.keyvalue() ? (
          @.key like_regex "^(movementId|network|networkId|postingAt|completedAt)$"
            && @.value.type() != "string" && @.value.type() != "null"
        )'
      when 'not-found' then true
      when 'no-answer' then jsonb_typeof(answer #> '{error,code}') = 'string'
    end, false)
    -- At most a day (`RETRY_AFTER_MAX_MS`): `may_ask_at` computes with it.
    and not exists (
      select from (values (answer -> 'retryAfterMs'), (answer #> '{error,retryAfterMs}')) said (ms)
      where case jsonb_typeof(said.ms)
        when 'number' then said.ms::numeric not between 0 and 86400000
        when 'null' then false
        else said.ms is not null
      end
    )
$$;

-- The outcome of an inquiry, and whether it agrees with the transfer's result. An answer with a `fact` is an incident,
-- unless an earlier answer with the same fact is an incident and no answer has agreed since. An incident has an id, and
-- is an event of the feed.
create table giro.inquiry_answer (
  origin_id bigint not null,
  number integer not null,
  answer jsonb not null check (giro.is_lookup_answer(answer)),
  -- Null: nothing follows from the answer, or there is no result to compare it with.
  agrees boolean,
  -- How the answer contradicts the result.
  fact text check (fact ~ '^[A-Z][A-Z_]{0,39}$'),
  -- Only for an incident; the guard sets the id and the record number.
  incident_id uuid,
  record_id bigint unique,
  kind text not null generated always as (answer ->> 'kind') stored
    check (kind in ('movement', 'not-found', 'no-answer')),
  bank_status text generated always as (answer #>> '{movement,status}') stored,
  movement_id text generated always as (answer #>> '{movement,movementId}') stored,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number),
  unique (incident_id, origin_id),
  foreign key (origin_id, number) references giro.inquiry (origin_id, number),
  check (kind <> 'no-answer' or agrees is null),
  check ((agrees is false) = (fact is not null)),
  check ((incident_id is null) = (record_id is null) and (incident_id is null or fact is not null))
);

create table giro.incident_acknowledgement (
  incident_id uuid primary key,
  record_id bigint not null unique default nextval('giro.record_id'),
  origin_id bigint not null,
  operator text not null check (giro.is_operator(operator)),
  note text not null check (char_length(note) between 1 and 1000),
  recorded_at timestamptz not null default clock_timestamp(),
  foreign key (incident_id, origin_id) references giro.inquiry_answer (incident_id, origin_id)
);

-- An inquiry about an open transfer is refused: the requests of an open transfer are in `giro.request`. A claim takes the
-- number after the last one, so no login can use the numbers up.
create function giro.guard_inquiry() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  last_number integer;
begin
  perform giro.lock_transfer(new.origin_id);
  if exists (select from giro.transfer t where t.origin_id = new.origin_id)
    and not exists (select from giro.result e where e.origin_id = new.origin_id)
  then
    raise exception 'giro: inquiry about transfer % is not claimable: it is open', new.origin_id
      using errcode = 'GR001';
  end if;
  select max(i.number) into last_number from giro.inquiry i where i.origin_id = new.origin_id;
  -- A number that is taken is refused by the primary key.
  if new.number > coalesce(last_number, 0) + 1 then
    raise exception 'giro: inquiry % about transfer % is out of order', new.number, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.inquiry for each row execute function giro.guard_inquiry();

-- Without a result, an answer can neither agree nor contradict. The guard alone decides which answer is an incident,
-- whatever the statement says.
create function giro.guard_inquiry_answer() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform giro.lock_transfer(new.origin_id);
  if new.agrees is not null and not exists (select from giro.result e where e.origin_id = new.origin_id) then
    raise exception 'giro: judgement of transfer % refused: it has not ended', new.origin_id using errcode = 'GR002';
  end if;
  new.incident_id := null;
  new.record_id := null;
  if new.fact is not null and not exists (
    select from giro.inquiry_answer a
    where a.origin_id = new.origin_id and a.incident_id is not null and a.fact = new.fact and not exists (
      select from giro.inquiry_answer b where b.origin_id = a.origin_id and b.number > a.number and b.agrees
    )
  ) then
    new.incident_id := gen_random_uuid();
    new.record_id := nextval('giro.record_id');
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.inquiry_answer for each row execute function giro.guard_inquiry_answer();

create trigger enter_feed before insert on giro.inquiry_answer for each statement execute function giro.enter_feed();
create trigger enter_feed before insert on giro.incident_acknowledgement
  for each statement execute function giro.enter_feed();

-- When the bank may be asked about an originId again, whoever asked last: the workflow run, a command, a
-- reconciliation, or a worker about a notified debit. The gap begins when the last request or inquiry ended; without a
-- recorded answer, it counts as ended at the latest possible time after its claim. The latest status determines the
-- gap, whatever answers without a status came later; a Retry-After of the last answer can lengthen the gap. `said`: the
-- answer, or those of its members that have no column. Null: nobody has asked.
create function giro.may_ask_at(
  origin_id bigint, gap_ms float8, delayed_gap_ms float8, create_max_ms float8, lookup_max_ms float8
) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with inquiry as (
    select i.claimed_at, lookup_max_ms as longest_ms, a.recorded_at, a.answer as said
    from giro.inquiry i left join giro.inquiry_answer a using (origin_id, number)
    where i.origin_id = may_ask_at.origin_id order by i.number desc limit 1
  ), request as (
    select r.claimed_at, case when r.kind = 'create' then create_max_ms else lookup_max_ms end as longest_ms,
      a.recorded_at, a.details as said
    from giro.request r left join giro.answer a using (origin_id, number)
    where r.origin_id = may_ask_at.origin_id and r.kind <> 'withdrawal' order by r.number desc limit 1
  ), status as (
    select (
      select a.bank_status from (
        (select i.bank_status, i.recorded_at from giro.inquiry_answer i
          where i.origin_id = may_ask_at.origin_id and i.bank_status is not null order by i.number desc limit 1)
        union all
        (select r.bank_status, r.recorded_at from giro.answer r
          where r.origin_id = may_ask_at.origin_id and r.bank_status is not null order by r.number desc limit 1)
      ) a order by a.recorded_at desc limit 1
    ) as latest
  )
  select max(coalesce(q.recorded_at, q.claimed_at + make_interval(secs => q.longest_ms / 1000))
    + make_interval(secs => greatest(
        case when s.latest = 'DELAYED' then delayed_gap_ms else gap_ms end,
        (q.said ->> 'retryAfterMs')::float8, (q.said #>> '{error,retryAfterMs}')::float8
      ) / 1000))
  from (select * from inquiry union all select * from request) q cross join status s
$$;

do $$
declare
  name text;
begin
  foreach name in array array['inquiry', 'inquiry_answer', 'incident_acknowledgement'] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
  end loop;
end
$$;
