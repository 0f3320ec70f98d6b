/** A time as ms since 1970, rounded up, so that an age computed from it is never too long. */
const ms = (column: string): string => `ceil(extract(epoch from ${column}) * 1000)::bigint`;

/**
 * SQL: the rows of transfer `t` as JSON, the input of `factsOf`. Look-ups without a recorded answer are only counted: a
 * transfer may have thousands.
 */
export const TRANSFER_LINES = `(
  select jsonb_build_object(
    'readAtMs', floor(extract(epoch from clock_timestamp()) * 1000)::bigint,
    'openedAtMs', ${ms('t.opened_at')},
    'requests', (
      select coalesce(jsonb_agg(jsonb_build_object('number', r.number, 'kind', r.kind, 'claimedAtMs', ${ms('r.claimed_at')},
        'answer', case when a.number is not null then
          jsonb_build_object('recordId', a.record_id, 'atMs', ${ms('a.recorded_at')}, 'value', giro.answer_json(a)) end
      ) order by r.number), '[]')
      from giro.request r left join giro.answer a using (origin_id, number)
      where r.origin_id = t.origin_id and (r.kind <> 'lookup' or a.number is not null or r.number = asked.last_number)
    ),
    'polls', asked.polls, 'lastPolledAtMs', ${ms('asked.last_polled_at')},
    'decisions', (
      select coalesce(jsonb_agg(jsonb_build_object('recordId', d.record_id, 'atMs', ${ms('d.recorded_at')}, 'id', d.id,
        'outcome', d.outcome, 'action', d.action, 'operator', d.operator, 'operators', d.operators, 'reason', d.reason,
        'bankStatus', d.bank_status, 'flags', d.flags, 'afterNumber', d.after_number) order by d.seq), '[]')
      from giro.decision d where d.origin_id = t.origin_id
    ),
    'flags', (
      select coalesce(jsonb_agg(jsonb_build_object('recordId', f.record_id, 'atMs', ${ms('f.recorded_at')},
        'reasons', f.reasons, 'conflict', f.conflict) order by f.seq), '[]')
      from giro.flags f where f.origin_id = t.origin_id
    ),
    'doubts', (
      select coalesce(jsonb_agg(jsonb_build_object('recordId', x.record_id, 'atMs', ${ms('x.recorded_at')},
        'reason', x.reason) order by x.record_id), '[]')
      from giro.doubt x where x.origin_id = t.origin_id
    )
  )
  from (
    select max(r.number) as last_number, count(*) filter (where r.kind = 'lookup') as polls,
      max(r.claimed_at) filter (where r.kind = 'lookup') as last_polled_at
    from giro.request r where r.origin_id = t.origin_id
  ) asked
)`;
