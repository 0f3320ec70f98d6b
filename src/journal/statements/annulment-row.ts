import type { OrderCipher } from '../ciphers';
import type { Annulment } from '../port';
import { toIso } from '../rows';

/** An annulment as PostgreSQL's JSON: the same whether it stands alone or inside the record of its transfer. */
export interface AnnulmentJson {
  readonly id: string;
  readonly originId: number;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly order: unknown;
  readonly bankStatus: string | null;
  readonly posting: string | null;
  readonly completed: string | null;
  readonly evidenceSha256: string | null;
  readonly decidedBy: 'bank' | 'operators';
  readonly operators: readonly string[];
  readonly reason: string | null;
  readonly recordedAt: string;
}

/** Of `giro.annulment n` and its `giro.transfer t`. */
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
