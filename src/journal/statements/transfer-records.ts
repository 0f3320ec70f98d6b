import { SealError } from '../../codec/seal';
import { proofKeyId } from '../../domain/order-proof';
import type { CreateAnswer } from '../../domain/transfer/answers';
import type { DecisionAction, DecisionOutcome } from '../../domain/transfer/decisions/decision';
import { attemptsOf, factsOf } from '../../domain/transfer/facts';
import type { TransferRecords } from '../../domain/transfer/records';
import type { TransferResult } from '../../domain/transfer/result';
import type { TransferView } from '../../domain/transfer/view';
import { viewOfFacts } from '../../domain/transfer/view-of-facts';
import type { OrderCipher } from '../ciphers';
import type { JournalContext } from '../context';
import type { Incident, IncidentJson } from './incidents';
import { toIso, toOriginId, toResult } from '../rows';
import type { TransferRow } from '../rows';
import { ANNULMENT_JSON, toAnnulment } from './annulments';
import type { Annulment, AnnulmentJson } from './annulments';
import { INCIDENT_JSON, toIncident } from './incidents';
import { TRANSFER_LINES } from './transfer-lines';

export interface TransferFilter {
  readonly status: string | null;
  /** An open flag, or an incident that nobody has acknowledged. */
  readonly needsAttention: boolean;
  readonly limit: number;
}

/**
 * A transfer as the journal alone knows it: query `state`, as far as the journal's rows show it; a run may be one step
 * further.
 */
export interface TransferRecord extends TransferView {
  readonly reference: string | null;
  readonly orderSha256: string;
  /** As ordered; null: the order does not open: this process lacks its key, or the row was altered. */
  readonly amount: TransferResult['amount'] | null;
  /** ISO UTC, like every time here. */
  readonly openedAt: string;
  readonly network: string | null;
  /** Creates claimed, in order. */
  readonly attempts: readonly {
    readonly number: number;
    readonly at: string;
    readonly outcome: CreateAnswer['kind'] | null;
  }[];
  /** `kid` that the order's proof names, valid or not; null: the order came without a proof. */
  readonly orderKeyId: string | null;
  /** What operators decided, in order. */
  readonly decisions: readonly ShownDecision[];
  readonly result: TransferResult | null;
  readonly annulment: Annulment | null;
  /** Where the bank contradicted the result, oldest first, acknowledged ones too. */
  readonly incidents: readonly Incident[];
  /** The archive of the time when the transfer ended: it may hold answers before the last one. Null: there is none. */
  readonly archiveSha256: string | null;
}

export interface ShownDecision {
  readonly outcome: Exclude<DecisionOutcome, 'voided'>;
  readonly action: DecisionAction;
  readonly operator: string;
  readonly at: string;
  /** Fingerprint of the signing key, as `ssh-keygen -l` prints it; null: not signed. */
  readonly keyFingerprint: string | null;
}

/** Everything of the transfers in `picked (origin_id)`, newest first. */
const detailsText = `
select t.origin_id, x.reference, t.order_sha256, t.opened_at, t.order_json, t.proof, ${TRANSFER_LINES} as lines, e.result,
  (select coalesce(jsonb_agg(jsonb_build_object('outcome', d.outcome, 'action', d.action, 'operator', d.operator,
      'at', d.recorded_at, 'keyFingerprint', d.key_fingerprint) order by d.seq), '[]')
    from giro.decision d where d.origin_id = t.origin_id and d.operator is not null) as decisions,
  case when n.id is not null then ${ANNULMENT_JSON} end as annulment,
  (select coalesce(jsonb_agg(${INCIDENT_JSON} order by i.record_id), '[]')
    from giro.inquiry_answer i left join giro.incident_acknowledgement k using (incident_id)
    where i.origin_id = t.origin_id and i.incident_id is not null) as incidents,
  (select r.sha256 from giro.archive r
    where e.status = 'COMPLETED' and r.ended_from <= e.recorded_at and e.recorded_at < r.ended_before
    order by r.recorded_at desc limit 1) as archive_sha256
from picked
join giro.transfer t using (origin_id)
left join giro.reference x using (origin_id)
left join giro.result e using (origin_id)
left join giro.annulment n using (origin_id)
order by t.opened_at desc, t.origin_id desc`;

const oneText = `
with picked as (select $1::bigint as origin_id)
${detailsText}`;

/**
 * The newest with a status: ended transfers by their result, the others by their state. Each branch reads its index
 * newest first and stops at the limit. A condition inside a branch would make it read all of its rows.
 */
const byStatusText = `
  (select e.origin_id, e.opened_at from giro.result e where e.status = $1::text
    order by e.opened_at desc, e.origin_id desc limit $2::integer)
  union all
  (select o.origin_id, o.opened_at from giro.open_transfer o where o.status = $1::text
    order by o.opened_at desc, o.origin_id desc limit $2::integer)`;

const newestText = `
  select t.origin_id, t.opened_at from giro.transfer t
  where $1::text is null order by t.opened_at desc, t.origin_id desc limit $2::integer`;

/** These transfers are few, so the status is looked up for each. */
const HAS_STATUS = (id: string): string => `($1::text is null or $1::text = coalesce(
  (select o.status from giro.open_transfer o where o.origin_id = ${id}),
  (select e.status from giro.result e where e.origin_id = ${id})
))`;
const attentionText = `
  (select f.origin_id, f.opened_at from giro.flagged_transfer f where ${HAS_STATUS('f.origin_id')}
    order by f.opened_at desc, f.origin_id desc limit $2::integer)
  union
  select t.origin_id, t.opened_at from giro.inquiry_answer i join giro.transfer t using (origin_id)
  where i.incident_id is not null and ${HAS_STATUS('i.origin_id')}
    and not exists (select from giro.incident_acknowledgement k where k.incident_id = i.incident_id)`;

const listText = (candidates: string): string => `
with picked as (
  select c.origin_id from (${candidates}) c order by c.opened_at desc, c.origin_id desc limit $2::integer
)
${detailsText}`;

interface Row extends Omit<TransferRow, 'create_body_sha256'> {
  readonly reference: string | null;
  readonly lines: TransferRecords;
  readonly decisions: readonly ShownDecision[];
  readonly result: TransferResult | null;
  readonly annulment: AnnulmentJson | null;
  readonly incidents: readonly IncidentJson[];
  readonly archive_sha256: string | null;
}

const byNetworkIdText = `
with picked as (
  select a.origin_id from giro.answer a left join giro.result e using (origin_id)
  where a.network_id = $1::text and (e.origin_id is null or a.echo <> 'mismatch')
  order by e.origin_id is not null, a.origin_id limit 1
)
${detailsText}`;

/** The transfer for which the bank reported this network id; open transfers before ended ones. */
export async function transferByNetworkId(
  { database, orders }: JournalContext,
  networkId: string,
): Promise<TransferRecord | null> {
  const [row] = await database.run<Row>({ name: 'transfer-by-network-id', text: byNetworkIdText }, [
    networkId,
  ]);
  return row === undefined ? null : toRecord(row, orders);
}

export async function transfer(
  { database, orders }: JournalContext,
  originId: number,
): Promise<TransferRecord | null> {
  const [row] = await database.run<Row>({ name: 'transfer', text: oneText }, [originId]);
  return row === undefined ? null : toRecord(row, orders);
}

/** Newest first. `status`: a value of `GiroStatus`. */
export async function transfers(
  { database, orders }: JournalContext,
  { status, needsAttention, limit }: TransferFilter,
): Promise<readonly TransferRecord[]> {
  const candidates = needsAttention ? attentionText : status === null ? newestText : byStatusText;
  const rows = await database.run<Row>({ name: 'transfers', text: listText(candidates), replan: true }, [
    status,
    limit,
  ]);
  return rows.map((row) => toRecord(row, orders));
}

function toRecord(row: Row, cipher: OrderCipher): TransferRecord {
  const { lines, order_sha256: orderSha256 } = row;
  const originId = toOriginId(row.origin_id);
  const result = row.result === null ? null : toResult(row.result);
  const facts = factsOf(lines);
  const amount = result?.amount ?? orderedAmount(row, cipher);
  return {
    ...viewOfFacts({ originId, orderSha256, amount, facts, result }, (ms) => new Date(ms).toISOString()),
    ...{ orderSha256, result },
    reference: row.reference,
    amount,
    openedAt: toIso(row.opened_at),
    network: facts.bank.network,
    attempts: attemptsOf(lines).map(({ number, atMs, outcome }) => ({
      ...{ number, at: new Date(atMs).toISOString(), outcome },
    })),
    orderKeyId: proofKeyId(row.proof),
    decisions: row.decisions.map((decision) => ({ ...decision, at: toIso(decision.at) })),
    annulment: row.annulment === null ? null : toAnnulment(row.annulment, cipher),
    incidents: row.incidents.map(toIncident),
    archiveSha256: row.archive_sha256,
  };
}

function orderedAmount({ order_json, origin_id }: Row, cipher: OrderCipher): TransferRecord['amount'] {
  try {
    const { currencyId, amount } = cipher.openOrder(order_json, toOriginId(origin_id)).body;
    return { currency: currencyId, value: amount };
  } catch (error) {
    // Everything else of the transfer is readable without the order.
    if (error instanceof SealError) return null;
    throw error;
  }
}
