-- When the bank may be asked about an originId again, whoever asked last: its run, a person or a reconciliation. The gap
-- runs from the end of the last question; one without a record may have taken its whole time-out. Errors, not-founds and
-- answers in the network's own format leave the gap as the last status has it. Null: nobody has asked.
create function giro.may_ask_at(
  origin_id bigint, gap_ms float8, delayed_gap_ms float8, create_timeout_ms float8, lookup_timeout_ms float8
) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with inquiry as (
    select i.claimed_at, lookup_timeout_ms as timeout_ms, a.recorded_at, a.answer
    from giro.inquiry i left join giro.inquiry_answer a using (origin_id, number)
    where i.origin_id = may_ask_at.origin_id order by i.number desc limit 1
  ), request as (
    select r.claimed_at, case when r.kind = 'create' then create_timeout_ms else lookup_timeout_ms end as timeout_ms,
      a.recorded_at, a.answer
    from giro.request r left join giro.answer a using (origin_id, number)
    where r.origin_id = may_ask_at.origin_id and r.kind <> 'withdrawal' order by r.number desc limit 1
  ), status as (
    select coalesce(
      (select a.bank_status from giro.inquiry_answer a
        where a.origin_id = may_ask_at.origin_id and a.bank_status is not null order by a.number desc limit 1),
      (select a.bank_status from giro.answer a
        where a.origin_id = may_ask_at.origin_id and a.bank_status is not null order by a.number desc limit 1)
    ) as latest
  )
  select max(coalesce(q.recorded_at, q.claimed_at + make_interval(secs => q.timeout_ms / 1000))
    + make_interval(secs => greatest(
        case when s.latest = 'DELAYED' then delayed_gap_ms else gap_ms end,
        (q.answer ->> 'retryAfterMs')::float8, (q.answer #>> '{error,retryAfterMs}')::float8
      ) / 1000))
  from (select * from inquiry union all select * from request) q cross join status s
$$;
revoke execute on function giro.may_ask_at(bigint, float8, float8, float8, float8) from public;
grant execute on function giro.may_ask_at(bigint, float8, float8, float8, float8) to giro_runtime;
