import type { TransferOrder } from '../../domain/order';
import type { TransferResult } from '../../domain/transfer/result';
import type { OrderCipher } from '../ciphers';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import type { RecordedResult, RecordedRow } from './record-result';
import { toIso } from '../rows';
import { recorded } from './record-result';

/** A recorded annulment (contract 4.5). */
export interface Annulment {
  readonly id: string;
  readonly originId: number;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly from: TransferOrder['from'];
  readonly to: TransferOrder['to'];
  readonly bankStatus: string | null;
  readonly bankTimes: { readonly posting: string | null; readonly completed: string | null };
  readonly evidenceSha256: string | null;
  readonly decidedBy: 'bank' | 'operators';
  readonly operators: readonly string[];
  readonly reason: string | null;
  /** ISO UTC. */
  readonly recordedAt: string;
}

export interface NewAnnulment {
  readonly result: Omit<TransferResult, 'annulmentId' | 'status'> & { readonly status: 'FAILED' };
  /** Number of the request whose answer the annulment cites; for an end by operators, the last answer of any status. */
  readonly evidenceNumber: number;
  /** The two operators of the decision, in order, if `result.decidedBy` is `operators`; else none. */
  readonly operators: readonly string[];
}

/** An annulment as PostgreSQL's JSON, the same alone and inside the record of its transfer. */
export type AnnulmentJson = Omit<Annulment, 'from' | 'to' | 'bankTimes'> & {
  readonly order: unknown;
  readonly posting: string | null;
  readonly completed: string | null;
};

/** SQL: an `AnnulmentJson` from `giro.annulment n` and its `giro.transfer t`. */
export const ANNULMENT_JSON = `jsonb_build_object(
  'id', n.id, 'originId', n.origin_id, 'movementId', n.movement_id, 'network', n.network, 'networkId', n.network_id,
  'amount', n.amount::text, 'currency', n.currency, 'order', t.order_json, 'bankStatus', n.bank_status,
  'posting', n.bank_posting_at, 'completed', n.bank_completed_at, 'evidenceSha256', n.evidence_sha256,
  'decidedBy', n.decided_by, 'operators', to_jsonb(n.operators), 'reason', n.reason, 'recordedAt', n.recorded_at)`;

export function toAnnulment(json: AnnulmentJson, cipher: OrderCipher): Annulment {
  const order = cipher.openOrder(json.order, json.originId);
  return {
    id: json.id,
    originId: json.originId,
    movementId: json.movementId,
    network: json.network,
    networkId: json.networkId,
    amount: json.amount,
    currency: json.currency,
    from: order.from,
    to: order.to,
    bankStatus: json.bankStatus,
    bankTimes: { posting: json.posting, completed: json.completed },
    evidenceSha256: json.evidenceSha256,
    decidedBy: json.decidedBy,
    operators: json.operators,
    reason: json.reason,
    recordedAt: toIso(json.recordedAt),
  };
}

export interface AnnulmentPage {
  /** Recorded at this time or later; ISO UTC. */
  readonly since: string | null;
  /** Id of the last annulment of the page before; null: from the first. */
  readonly after: string | null;
  readonly limit: number;
}

const listText = `
select ${ANNULMENT_JSON} as annulment
from giro.annulment n join giro.transfer t using (origin_id)
where n.recorded_at >= coalesce($1::timestamptz, '-infinity')
  and (n.recorded_at, n.record_id) > (
    coalesce((select l.recorded_at from giro.annulment l where l.id = $2::uuid), '-infinity'),
    coalesce((select l.record_id from giro.annulment l where l.id = $2::uuid), 0)
  )
order by n.recorded_at, n.record_id limit $3::integer`;

/** Oldest first. */
export async function annulments(
  { database, orders }: JournalContext,
  { since, after, limit }: AnnulmentPage,
): Promise<readonly Annulment[]> {
  const rows = await database.run<{ annulment: AnnulmentJson }>(
    { name: 'annulments', text: listText, replan: true },
    [since, after, limit],
  );
  return rows.map(({ annulment }) => toAnnulment(annulment, orders));
}

/**
 * Annulment and result in one statement; each has a foreign key to the other. `evidence`: the answer under the number,
 * or the latest earlier answer, which stands for an equal answer without a record.
 */
const recordText = `
with evidence as (
  select a.number, a.bank_status, encode(a.evidence_sha256, 'hex') as evidence_sha256, a.posting_at, a.completed_at
  from giro.answer a
  where a.origin_id = $1::bigint and a.number <= $2::integer
  order by a.number desc limit 1
), annulled as (
  insert into giro.annulment (origin_id, movement_id, network, network_id, amount, currency, evidence_number,
    bank_status, bank_posting_at, bank_completed_at, evidence_sha256, decided_by, operators, reason)
  select $1::bigint, n.value ->> 'movementId', n.value ->> 'network', n.value ->> 'networkId',
    (n.value #>> '{amount,value}')::numeric, n.value #>> '{amount,currency}', e.number,
    e.bank_status, e.posting_at, e.completed_at, e.evidence_sha256,
    n.value ->> 'decidedBy', $4::text[], n.value ->> 'reason'
  from (select $3::jsonb as value) n left join evidence e on true
  where not exists (select from giro.result where origin_id = $1::bigint)
  on conflict (origin_id) do nothing
  returning id
), ended as (
  insert into giro.result (origin_id, result)
  select $1::bigint, $3::jsonb || jsonb_build_object('annulmentId', id) from annulled
  returning result
)
select result, true as is_new from ended
union all
select result, false from giro.result where origin_id = $1::bigint`;

/**
 * Records the annulment of a FAILED transfer together with its result, exactly once; a repeat returns the existing
 * annulment. The database refuses the annulment unless the journal has a matching answer FAILED under `evidenceNumber`.
 * If that answer was equal to the answer before, it has no record, and the latest earlier record counts. If `decidedBy`
 * is `operators`, the last row of decisions must be the acceptance of `accept-failed` by the two `operators`.
 */
export async function recordAnnulment(
  { database }: JournalContext,
  { result, evidenceNumber, operators }: NewAnnulment,
): Promise<RecordedResult> {
  return againWhenLost(`annulment of transfer ${result.originId}`, async () => {
    const [row] = await database.run<RecordedRow>({ name: 'record-annulment', text: recordText }, [
      result.originId,
      evidenceNumber,
      JSON.stringify(result),
      operators,
    ]);
    return row === undefined ? null : recorded(row, result);
  });
}
