import type { TransferResult } from '../../domain/transfer/result';
import type { Database } from '../database';
import { againWhenLost } from '../lost-race';
import type { OrderCipher } from '../order-cipher';
import type { OpenedTransfer, RequestKind, TransferOpening, TransferPast } from '../port';
import { msSince, toResult } from '../rows';

/**
 * `send`: creates that may have reached the bank. `movement`: the latest answer with a movement whose echo is not a
 * mismatch; ids that it lacks come from the ones before it, `since` from the first of its unbroken run of status.
 */
const text = `
with opened as (
  insert into giro.transfer (origin_id, order_sha256, order_json, create_body)
  values ($1, $2, $3::jsonb, $4)
  on conflict (origin_id) do nothing
  returning origin_id
), send as (
  select count(*)::integer as sends, min(r.claimed_at) as first_at, max(r.claimed_at) as last_at,
    jsonb_agg(a.answer) as answers
  from giro.request r left join giro.answer a using (origin_id, number)
  where r.origin_id = $1 and r.kind = 'create' and a.kind is distinct from 'not-sent'
), movement as (
  select (array_agg(m.bank_status order by m.number desc))[1] as bank_status,
    (array_agg(m.movement_id order by m.number desc) filter (where m.movement_id is not null))[1] as movement_id,
    (array_agg(m.network order by m.number desc) filter (where m.network is not null))[1] as network,
    (array_agg(m.network_id order by m.number desc) filter (where m.network_id is not null))[1] as network_id,
    (array_agg(m.recorded_at order by m.number desc) filter (where m.changed))[1] as since_at
  from (
    select a.*, a.bank_status is distinct from lag(a.bank_status) over (order by a.number) as changed
    from giro.answer a where a.origin_id = $1 and a.echo in ('match', 'incomplete')
  ) m
)
select exists (select from opened) as is_new, t.order_sha256, e.result,
  last.number as last_number, last.kind as last_kind, ${msSince('last.claimed_at')} as since_last_claim_ms,
  send.sends, ${msSince('send.first_at')} as since_first_send_ms, ${msSince('send.last_at')} as since_last_send_ms,
  case when send.sends = 1 then send.answers -> 0 end as only_answer,
  (select count(*)::integer from giro.request r where r.origin_id = $1 and r.kind = 'lookup') as polls,
  m.bank_status, m.movement_id, m.network, m.network_id, ${msSince('m.since_at')} as since_status_ms,
  ${msSince('t.opened_at')} as since_opened_ms
from send cross join movement m
left join giro.transfer t on t.origin_id = $1
left join giro.result e on e.origin_id = $1
left join lateral (
  select r.number, r.kind, r.claimed_at from giro.request r
  where r.origin_id = $1 order by r.number desc limit 1
) last on true`;

/** Ages are `greatest(0, null)` = 0 in PostgreSQL, so each is read only when its record is there. */
interface Row {
  readonly is_new: boolean;
  /** Null for a new transfer, and for one whose row another session has just inserted. */
  readonly order_sha256: string | null;
  readonly result: TransferResult | null;
  readonly last_number: number | null;
  readonly last_kind: RequestKind | null;
  readonly since_last_claim_ms: number;
  readonly sends: number;
  readonly since_first_send_ms: number;
  readonly since_last_send_ms: number;
  readonly only_answer: {
    readonly kind: string;
    readonly httpStatus: number;
    readonly code: string | null;
  } | null;
  readonly polls: number;
  readonly bank_status: string | null;
  readonly movement_id: string | null;
  readonly network: string | null;
  readonly network_id: string | null;
  readonly since_status_ms: number;
  readonly since_opened_ms: number;
}

export async function openTransfer(
  database: Database,
  cipher: OrderCipher,
  { order, orderSha256, createBody }: TransferOpening,
): Promise<OpenedTransfer> {
  const values = [
    order.originId,
    orderSha256,
    JSON.stringify(cipher.sealOrder(order)),
    cipher.sealBody(createBody),
  ];
  return againWhenLost(`opening transfer ${order.originId}`, async () => {
    const [row] = await database.run<Row>({ name: 'open-transfer', text }, values);
    if (row === undefined || (!row.is_new && row.order_sha256 === null)) return null;
    if (row.is_new) return { kind: 'open', past: NEW };
    if (row.order_sha256 !== orderSha256) return { kind: 'conflict' };
    if (row.result !== null) return { kind: 'ended', result: toResult(row.result) };
    return { kind: 'open', past: toPast(row) };
  });
}

const NEW: TransferPast = {
  lastNumber: 0,
  sinceLastClaimMs: null,
  lastKind: null,
  sends: 0,
  sinceFirstSendMs: null,
  sinceLastSendMs: null,
  refusal: null,
  polls: 0,
  lastMovement: null,
  sinceOpenedMs: 0,
};

function toPast(row: Row): TransferPast {
  const { only_answer: answer } = row;
  return {
    lastNumber: row.last_number ?? 0,
    sinceLastClaimMs: row.last_number === null ? null : row.since_last_claim_ms,
    lastKind: row.last_kind,
    sends: row.sends,
    sinceFirstSendMs: row.sends === 0 ? null : row.since_first_send_ms,
    sinceLastSendMs: row.sends === 0 ? null : row.since_last_send_ms,
    refusal: answer?.kind === 'refused' ? { httpStatus: answer.httpStatus, code: answer.code } : null,
    polls: row.polls,
    lastMovement:
      row.bank_status === null
        ? null
        : {
            status: row.bank_status,
            movementId: row.movement_id,
            network: row.network,
            networkId: row.network_id,
            sinceMs: row.since_status_ms,
          },
    sinceOpenedMs: row.since_opened_ms,
  };
}
