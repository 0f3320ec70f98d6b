import { SealError } from '../../codec/seal';
import type { TransferResult } from '../../domain/transfer/result';
import type { Database } from '../database';
import type { OrderCipher } from '../order-cipher';
import type { TransferFilter, TransferRecord } from '../port';
import { toIso, toIsoOrNull, toOriginId, toResult } from '../rows';
import { ANNULMENT_JSON, toAnnulment } from './annulment-row';
import type { AnnulmentJson } from './annulment-row';
import { INCIDENT_JSON, toIncident } from './incident-row';
import type { IncidentJson } from './incident-row';
import { LAST_MOVEMENT, OPEN_FLAGS, OPEN_PHASE } from './transfer-status';

/** Everything of the transfers in `picked (origin_id)`, newest first. */
const detailsText = `
select t.origin_id, x.reference, t.order_sha256, t.order_json, t.opened_at,
  case when e.result is not null then 'ended' else ${OPEN_PHASE} end as phase,
  m.bank_status, m.movement_id, m.network, m.network_id, coalesce(f.reasons, '{}') as reasons,
  q.polls, q.last_polled_at, q.attempts, h.history, w.proposals, e.result,
  case when n.id is not null then ${ANNULMENT_JSON} end as annulment,
  (select coalesce(jsonb_agg(${INCIDENT_JSON} order by i.record_id), '[]')
    from giro.incident i left join giro.incident_acknowledgement k on k.incident_id = i.id
    where i.origin_id = t.origin_id) as incidents
from picked
join giro.transfer t using (origin_id)
left join giro.reference x using (origin_id)
left join giro.result e using (origin_id)
left join giro.annulment n using (origin_id)
left join lateral (${LAST_MOVEMENT}) m on true
left join lateral (${OPEN_FLAGS}) f on true
cross join lateral (
  select count(*) filter (where r.kind = 'lookup')::integer as polls,
    max(r.claimed_at) filter (where r.kind = 'lookup') as last_polled_at,
    coalesce(jsonb_agg(jsonb_build_object('number', r.number, 'at', r.claimed_at, 'outcome', a.kind) order by r.number)
      filter (where r.kind = 'create'), '[]') as attempts
  from giro.request r left join giro.answer a on r.kind = 'create' and a.origin_id = r.origin_id and a.number = r.number
  where r.origin_id = t.origin_id
) q
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object('status', w.bank_status, 'at', w.recorded_at) order by w.number), '[]')
    as history
  from (
    select s.* from (
      select a.number, a.bank_status, a.recorded_at,
        a.bank_status is distinct from lag(a.bank_status) over (order by a.number) as changed
      from giro.answer a where a.origin_id = t.origin_id and a.echo in ('match', 'incomplete')
    ) s where s.changed order by s.number desc limit 50
  ) w
) h
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object('action', p.action, 'operator', p.operator, 'reason', p.reason,
    'at', p.recorded_at, 'bankStatus', p.bank_status) order by p.seq), '[]') as proposals
  from giro.live_proposals(t.origin_id) p where e.origin_id is null
) w
order by t.opened_at desc, t.origin_id desc`;

const oneText = `
with picked as (select $1::bigint as origin_id)
${detailsText}`;

/**
 * Planned for its values: without a status it walks the newest first, a result's word goes by its index, and only
 * open transfers, few beside the ended, have their word worked out.
 */
const listText = `
with candidate as (
  select t.origin_id, t.opened_at from giro.transfer t where $1::text is null
  union all
  select t.origin_id, t.opened_at from giro.result e join giro.transfer t using (origin_id) where e.status = $1::text
  union all
  select t.origin_id, t.opened_at from giro.transfer t
  left join lateral (${LAST_MOVEMENT}) m on true
  left join lateral (${OPEN_FLAGS}) f on true
  where $1::text is not null and not exists (select from giro.result e where e.origin_id = t.origin_id)
    and coalesce(m.bank_status, ${OPEN_PHASE}) = $1::text
), picked as (
  select c.origin_id from candidate c
  where not $2::boolean or c.origin_id in (
    select l.origin_id
    from (select distinct on (f.origin_id) f.* from giro.flags f order by f.origin_id, f.seq desc) l
    where cardinality(l.reasons) > 0
    union all
    select i.origin_id from giro.incident i
    where not exists (select from giro.incident_acknowledgement k where k.incident_id = i.id)
  )
  order by c.opened_at desc, c.origin_id desc
  limit $3::integer
)
${detailsText}`;

interface Row {
  readonly origin_id: string;
  readonly reference: string | null;
  readonly order_sha256: string;
  readonly order_json: unknown;
  readonly opened_at: Date;
  readonly phase: TransferRecord['phase'];
  readonly bank_status: string | null;
  readonly movement_id: string | null;
  readonly network: string | null;
  readonly network_id: string | null;
  readonly reasons: string[];
  readonly polls: number;
  readonly last_polled_at: Date | null;
  readonly attempts: TransferRecord['attempts'];
  readonly history: TransferRecord['history'];
  readonly proposals: TransferRecord['proposals'];
  readonly result: TransferResult | null;
  readonly annulment: AnnulmentJson | null;
  readonly incidents: readonly IncidentJson[];
}

const byNetworkIdText = `
with picked as (
  select a.origin_id from giro.answer a left join giro.result e using (origin_id)
  where a.network_id = $1::text and (e.origin_id is null or a.echo <> 'mismatch')
  order by e.origin_id is not null, a.origin_id limit 1
)
${detailsText}`;

export async function transferByNetworkId(
  database: Database,
  cipher: OrderCipher,
  networkId: string,
): Promise<TransferRecord | null> {
  const [row] = await database.run<Row>({ name: 'transfer-by-network-id', text: byNetworkIdText }, [
    networkId,
  ]);
  return row === undefined ? null : toRecord(row, cipher);
}

export async function transfer(
  database: Database,
  cipher: OrderCipher,
  originId: number,
): Promise<TransferRecord | null> {
  const [row] = await database.run<Row>({ name: 'transfer', text: oneText }, [originId]);
  return row === undefined ? null : toRecord(row, cipher);
}

export async function transfers(
  database: Database,
  cipher: OrderCipher,
  { status, needsAttention, limit }: TransferFilter,
): Promise<TransferRecord[]> {
  const rows = await database.run<Row>({ name: 'transfers', text: listText, replan: true }, [
    status,
    needsAttention,
    limit,
  ]);
  return rows.map((row) => toRecord(row, cipher));
}

function toRecord(row: Row, cipher: OrderCipher): TransferRecord {
  return {
    originId: toOriginId(row.origin_id),
    reference: row.reference,
    orderSha256: row.order_sha256,
    amount: row.result?.amount ?? orderedAmount(row, cipher),
    openedAt: toIso(row.opened_at),
    phase: row.phase,
    bankStatus: row.bank_status,
    movementId: row.movement_id,
    network: row.network,
    networkId: row.network_id,
    attentionReasons: row.reasons,
    polls: row.polls,
    lastPolledAt: toIsoOrNull(row.last_polled_at),
    history: row.history.map(({ status, at }) => ({ status, at: toIso(at) })),
    attempts: row.attempts.map(({ number, at, outcome }) => ({ number, at: toIso(at), outcome })),
    proposals: row.proposals.map((proposal) => ({ ...proposal, at: toIso(proposal.at) })),
    result: row.result === null ? null : toResult(row.result),
    annulment: row.annulment === null ? null : toAnnulment(row.annulment, cipher),
    incidents: row.incidents.map(toIncident),
  };
}

function orderedAmount({ order_json, origin_id }: Row, cipher: OrderCipher): TransferRecord['amount'] {
  try {
    const { currencyId, amount } = cipher.openOrder(order_json, toOriginId(origin_id)).body;
    return { currency: currencyId, value: amount };
  } catch (error) {
    // All else of the transfer can be told without the key.
    if (error instanceof SealError) return null;
    throw error;
  }
}
