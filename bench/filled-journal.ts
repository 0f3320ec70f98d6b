import type { Client } from 'pg';

/** Transfers a day of the installation; the newest transfer is from now. */
export const TRANSFERS_A_DAY = 100_000;
const SECONDS_APART = 86_400 / TRANSFERS_A_DAY;
const BATCH = 50_000;
/** The journal keeps rows of a reconciliation for at least this long. */
const RECONCILED_DAYS = 31;

export interface Filling {
  /** Number of transfers, with originIds from 1 in the order of their opening. */
  readonly count: number;
  /** Number of open transfers among them, evenly spread. */
  readonly open: number;
}

/**
 * Writes transfers with all their rows into an empty journal in bulk, as the owner and without guards; the measured
 * statements write none of these rows. Of the ended transfers, 94 % are COMPLETED, 3 % FAILED with their annulment, 2 %
 * REFUSED, 1 % WITHDRAWN. Every second order came with a reference. One in fifty ended transfers was flagged, and one
 * in twenty open transfers is. Half a percent have two rows of decisions; one in ten has an inquiry after its end. A
 * reconciliation has found every transfer older than a day in order.
 */
export async function fillJournal(sql: Client, { count, open }: Filling): Promise<void> {
  await sql.query('set session_replication_role = replica');
  for (let from = 1; from <= count; from += BATCH) {
    const to = Math.min(from + BATCH - 1, count);
    await sql.query('begin');
    await sql.query(PLAN, [from, to, Math.round(count / open), count, SECONDS_APART]);
    for (const text of ROWS) await sql.query(text);
    await sql.query('commit');
  }
  await sql.query('set session_replication_role = origin');
}

/** One row for each transfer, with its course. `age`: time since its opening. */
const PLAN = `
create temporary table plan on commit drop as
select i as id, i % $3::integer = 0 as is_open, i / $3::integer as nth,
  clock_timestamp() - ($4::bigint - i) * $5::float8 * interval '1 second' as opened_at,
  ($4::bigint - i) * $5::float8 * interval '1 second' as age,
  case
    when i % $3::integer = 0 then case
      when i / $3::integer % 20 < 12 then 'DELAYED' when i / $3::integer % 20 < 16 then 'IN_PROGRESS'
      when i / $3::integer % 20 < 18 then 'CREATED' when i / $3::integer % 20 < 19 then 'looking-up' else 'sending' end
    when i % 100 < 94 then 'COMPLETED' when i % 100 < 97 then 'FAILED' when i % 100 < 99 then 'REFUSED'
    else 'WITHDRAWN'
  end as life,
  'mov' || lpad(to_hex(i * 2654435761), 16, '0') as movement_id,
  upper(substr(encode(sha256(int8send(i)), 'hex'), 1, 22)) as network_id,
  encode(sha256(int8send(-i)), 'hex') as order_sha256
from generate_series($1::bigint, $2::bigint) i`;

const POSTING_AT = `to_char(p.opened_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
const COMPLETED_AT = `case when s.status in ('COMPLETED', 'FAILED') then ${POSTING_AT} end`;
const MOVEMENT = `jsonb_build_object('status', s.status, 'movementId', p.movement_id, 'network', 'COELSA',
  'networkId', p.network_id, 'postingAt', ${POSTING_AT}, 'completedAt', ${COMPLETED_AT},
  'echo', 'match', 'echoFields', '[]'::jsonb, 'evidenceSha256', p.order_sha256)`;

const ROWS: readonly string[] = [
  `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, opened_at)
   select p.id, p.order_sha256, jsonb_build_object('originId', p.id,
     'from', jsonb_build_object('addressType', 'CBU_CVU', 'address', '0009001600000000000017',
       'owner', jsonb_build_object('personIdType', 'CUI', 'personId', '30714979732')),
     'to', jsonb_build_object('addressType', 'CBU_CVU', 'address', '9990001800000000000017',
       'owner', jsonb_build_object('personIdType', 'CUI', 'personId', '20218346414')),
     'body', jsonb_build_object('currencyId', '032', 'amount', '1500.25', 'description', 'bench', 'concept', 'FAC')),
     p.order_sha256, p.opened_at
   from plan p`,
  `insert into giro.reference (reference, origin_id, bound_at)
   select 'order-' || p.id, p.id, p.opened_at from plan p where p.id % 2 = 0
   union all
   select 'lost-' || p.id, 4000000000 + p.id, p.opened_at from plan p where p.id % 10007 = 0`,
  `insert into giro.open_transfer (origin_id, opened_at, bank_status, stage, status, is_sent)
   select p.id, p.opened_at, nullif(p.life, s.stage), s.stage, p.life, s.stage <> 'sending'
   from plan p cross join lateral (
     select case when p.life in ('sending', 'looking-up') then p.life else 'polling' end as stage
   ) s
   where p.is_open`,
  // A create, and two look-ups if the bank took the order.
  `insert into giro.request (origin_id, number, kind, run_id, claimed_at)
   select p.id, n, case when n > 1 then 'lookup' when p.life = 'WITHDRAWN' then 'withdrawal' else 'create' end,
     '0198f0c2-5b7e-7d5c-9d0e-' || lpad(to_hex(p.id), 12, '0'), p.opened_at + n * interval '1 second'
   from plan p cross join generate_series(1, 3) n
   where p.life <> 'sending' and (n = 1 or p.life not in ('REFUSED', 'WITHDRAWN', 'looking-up'))`,
  `insert into giro.answer (origin_id, number, digest, kind, bank_status, movement_id, network, network_id, posting_at,
     completed_at, echo, evidence_sha256, recorded_at)
   select p.id, s.number, substr(p.order_sha256, 1, 32),
     case when s.number = 1 then 'answered' else 'movement' end, s.status, p.movement_id, 'COELSA', p.network_id,
     ${POSTING_AT}, ${COMPLETED_AT}, 'match', decode(p.order_sha256, 'hex'),
     p.opened_at + s.number * interval '1 second'
   from plan p cross join lateral (values (1, 'CREATED'), (2, 'IN_PROGRESS'), (3, p.life)) s (number, status)
   where p.life in ('COMPLETED', 'FAILED', 'DELAYED', 'IN_PROGRESS', 'CREATED')
     and (s.number = 1 or p.life <> 'CREATED') and (s.number < 3 or p.life <> 'IN_PROGRESS')
   order by p.id, s.number`,
  `insert into giro.answer (origin_id, number, digest, kind, details, recorded_at)
   select p.id, 1, substr(p.order_sha256, 1, 32), case when p.life = 'REFUSED' then 'refused' else 'unknown' end,
     case when p.life = 'REFUSED' then '{"httpStatus": 422, "code": "E17"}'::jsonb
       else '{"error": {"code": "TIMEOUT", "httpStatus": null, "retryAfterMs": null}}' end,
     p.opened_at + interval '2 seconds'
   from plan p where p.life in ('REFUSED', 'looking-up')`,
  `insert into giro.flags (origin_id, seq, reasons, recorded_at)
   select p.id, n, case when n = 1 then array['OPEN_TOO_LONG'] else '{}' end, p.opened_at + n * interval '1 minute'
   from plan p cross join generate_series(1, 2) n
   where case when p.is_open then p.nth % 20 = 0 and n = 1 else p.id % 50 = 0 end`,
  `insert into giro.flagged_transfer (origin_id, opened_at, reasons)
   select p.id, p.opened_at, array['OPEN_TOO_LONG'] from plan p where p.is_open and p.nth % 20 = 0`,
  `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason, after_number, recorded_at)
   select p.id, n, 'd-' || n, case when n = 1 then 'proposed' else 'accepted' end, 'accept-failed',
     case when n = 1 then 'ana' else 'luis' end, case when n = 1 then array['ana'] else array['ana', 'luis'] end,
     'bench', 3, p.opened_at + n * interval '1 minute'
   from plan p cross join generate_series(1, 2) n where p.id % 200 = 96 and not p.is_open`,
  `insert into giro.result (origin_id, opened_at, result, recorded_at)
   select p.id, p.opened_at, jsonb_build_object('originId', p.id, 'status', p.life,
     'movementId', case when p.life in ('COMPLETED', 'FAILED') then p.movement_id end,
     'network', case when p.life in ('COMPLETED', 'FAILED') then 'COELSA' end,
     'networkId', case when p.life in ('COMPLETED', 'FAILED') then p.network_id end,
     'amount', jsonb_build_object('currency', '032', 'value', '1500.25'),
     'annulmentId', case when p.life = 'FAILED' then gen_random_uuid() end, 'decidedBy', 'bank', 'reason', null,
     'orderSha256', p.order_sha256), p.opened_at + interval '5 seconds'
   from plan p where not p.is_open`,
  `insert into giro.annulment (origin_id, id, movement_id, network, network_id, amount, currency, evidence_number,
     bank_status, evidence_sha256, decided_by, operators, recorded_at)
   select p.id, e.annulment_id, p.movement_id, 'COELSA', p.network_id, 1500.25, '032', 3, 'FAILED', p.order_sha256,
     'bank', '{}', e.recorded_at
   from plan p join giro.result e on e.origin_id = p.id where p.life = 'FAILED'`,
  `insert into giro.inquiry (origin_id, number, asked_by, claimed_at)
   select p.id, 1, 'reconciliation', p.opened_at + interval '1 day'
   from plan p where not p.is_open and p.id % 10 = 0 and p.age > interval '1 day'`,
  `insert into giro.inquiry_answer (origin_id, number, answer, agrees, recorded_at)
   select p.id, 1, jsonb_build_object('kind', 'movement', 'movement', ${MOVEMENT}), true, p.opened_at + interval '1 day'
   from plan p cross join lateral (values (p.life)) s (status)
   where not p.is_open and p.id % 10 = 0 and p.age > interval '1 day' and p.life in ('COMPLETED', 'FAILED')`,
  `insert into giro.reconciled (as_of, origin_id, step, source, evidence_sha256, confirmed)
   select date_trunc('day', p.opened_at) + interval '2 days', p.id, 1, 'asked', p.order_sha256, true
   from plan p
   where not p.is_open and p.age > interval '2 days' and p.age < interval '${RECONCILED_DAYS} days'
     and p.life <> 'WITHDRAWN'`,
  `insert into giro.reconciliation (as_of, from_at, to_at, is_default_window, started_at)
   select distinct c.as_of, c.as_of - interval '2 days', c.as_of, true, c.as_of from giro.reconciled c
   on conflict do nothing`,
  `insert into giro.notification (delivery_key, body, received_at, due_at, outcome, done_at)
   select 'delivery-' || p.id, convert_to(repeat('x', 600), 'UTF8'), p.opened_at, null, 'hinted', p.opened_at
   from plan p where p.age < interval '1 day'`,
];
