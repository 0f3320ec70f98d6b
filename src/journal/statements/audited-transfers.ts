import { SealError } from '../../codec/seal';
import type { TransferOrder } from '../../domain/order';
import type { CreateAnswer, LookupAnswer } from '../../domain/transfer/answers';
import type { DecisionRecord } from '../../domain/transfer/decisions/decision';
import type { RequestKind, TransferRecords } from '../../domain/transfer/records';
import type { TransferResult } from '../../domain/transfer/result';
import type { OrderCipher } from '../ciphers';
import type { JournalContext } from '../context';
import { toOriginId } from '../rows';
import type { TransferRow } from '../rows';
import { TRANSFER_LINES } from './transfer-lines';

/** The records of a transfer that an audit recomputes or compares. */
export interface AuditedTransfer {
  readonly originId: number;
  readonly orderSha256: string;
  readonly bodySha256: string;
  readonly order: AuditedOrder;
  /** Null: the order came without a proof. */
  readonly proof: string | null;
  readonly openedAt: Date;
  readonly requests: NumberedLines & {
    /** Null: no request. */
    readonly lastKind: RequestKind | null;
  };
  readonly flags: NumberedLines;
  readonly answers: readonly AuditedAnswer[];
  readonly decisions: readonly AuditedDecision[];
  readonly result: TransferResult | null;
  readonly annulment: AuditedAnnulment | null;
  /** The records from before the result; without a result all of them. */
  readonly records: TransferRecords;
}

export type AuditedOrder =
  | { readonly kind: 'open'; readonly order: TransferOrder; readonly isBelieved: boolean }
  /** Sealed under a key that is not in the ring. */
  | { readonly kind: 'unreadable' }
  /** Sealed for another transfer, or changed since. */
  | { readonly kind: 'altered' };

/** Rows that are numbered 1, 2, 3… */
export interface NumberedLines {
  readonly count: number;
  /** 0: none. */
  readonly last: number;
}

export interface AuditedAnswer {
  readonly number: number;
  /** Null: no such request. */
  readonly requestKind: RequestKind | null;
  readonly kind: (CreateAnswer | LookupAnswer)['kind'];
  readonly bankStatus: string | null;
  readonly echo: string | null;
  readonly evidenceSha256: string | null;
  readonly postingAt: string | null;
  readonly completedAt: string | null;
}

export type AuditedDecision = Pick<
  DecisionRecord,
  'id' | 'outcome' | 'action' | 'operator' | 'operators' | 'reason'
> & {
  readonly seq: number;
  /** Null, like the next two fields: the decision was not signed. */
  readonly line: string | null;
  readonly signature: string | null;
  readonly keyFingerprint: string | null;
  readonly recordedAtMs: number;
};

export interface AuditedAnnulment extends Omit<AuditedAnswer, 'number' | 'requestKind' | 'kind' | 'echo'> {
  readonly id: string;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  /** Decimal string with two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly evidenceNumber: number | null;
  readonly decidedBy: 'bank' | 'operators';
  readonly operators: readonly string[];
  readonly reason: string | null;
}

/** SQL: count and last number of numbered rows. */
const numbered = (table: string, number: string, more = ''): string => `(
  select jsonb_build_object('count', count(*), 'last', coalesce(max(x.${number}), 0)${more})
  from giro.${table} x where x.origin_id = t.origin_id)`;

/** `isOld`: opened and ended before the beginning of the audit. Old transfers count towards the size of the page. */
const pageText = `
select t.*, case when not p.is_old then jsonb_build_object(
  'requests', ${numbered('request', 'number', `, 'lastKind', (array_agg(x.kind order by x.number desc))[1]`)},
  'flags', ${numbered('flags', 'seq')},
  'answers', (
    select coalesce(jsonb_agg(jsonb_build_object('number', a.number, 'requestKind', r.kind, 'kind', a.kind,
      'bankStatus', a.bank_status, 'echo', a.echo, 'evidenceSha256', encode(a.evidence_sha256, 'hex'),
      'postingAt', a.posting_at, 'completedAt', a.completed_at
    ) order by a.number), '[]')
    from giro.answer a left join giro.request r using (origin_id, number) where a.origin_id = t.origin_id
  ),
  'decisions', (
    select coalesce(jsonb_agg(jsonb_build_object('seq', d.seq, 'id', d.id, 'outcome', d.outcome, 'action', d.action,
      'operator', d.operator, 'operators', to_jsonb(d.operators), 'reason', d.reason, 'line', d.line,
      'signature', d.signature, 'keyFingerprint', d.key_fingerprint,
      'recordedAtMs', floor(extract(epoch from d.recorded_at) * 1000)) order by d.seq), '[]')
    from giro.decision d where d.origin_id = t.origin_id
  ),
  'result', e.result, 'resultRecordId', e.record_id, 'records', ${TRANSFER_LINES},
  'annulment', (
    select jsonb_build_object('id', n.id, 'movementId', n.movement_id, 'network', n.network,
      'networkId', n.network_id, 'amount', n.amount::text, 'currency', n.currency,
      'evidenceNumber', n.evidence_number, 'bankStatus', n.bank_status, 'postingAt', n.bank_posting_at,
      'completedAt', n.bank_completed_at, 'evidenceSha256', n.evidence_sha256, 'decidedBy', n.decided_by,
      'operators', to_jsonb(n.operators), 'reason', n.reason)
    from giro.annulment n where n.origin_id = t.origin_id
  )) end as lines
from giro.transfer t left join giro.result e using (origin_id)
cross join lateral (
  select coalesce(t.opened_at < $3::timestamptz and e.recorded_at < $3::timestamptz, false) as is_old
) p
where t.origin_id > $1::bigint
order by t.origin_id limit $2::integer`;

interface Row extends TransferRow {
  readonly lines:
    | (Omit<AuditedTransfer, 'originId' | 'orderSha256' | 'bodySha256' | 'order' | 'proof' | 'openedAt'> & {
        readonly resultRecordId: number | null;
      })
    | null;
}

export interface AuditPage {
  /** originId; 0: from the first. */
  readonly after: number;
  readonly limit: number;
  /** ISO UTC: transfers that ended before are skipped; null: none. */
  readonly from: string | null;
}

/** The next transfers by originId; skipped ones are null. */
export async function auditedTransfers(
  { database, orders }: JournalContext,
  { after, limit, from }: AuditPage,
): Promise<readonly { readonly originId: number; readonly transfer: AuditedTransfer | null }[]> {
  const rows = await database.run<Row>({ name: 'audited-transfers', text: pageText }, [after, limit, from]);
  return rows.map((row) => {
    const originId = toOriginId(row.origin_id);
    if (row.lines === null) return { originId, transfer: null };
    const { order_sha256: orderSha256, create_body_sha256: bodySha256 } = row;
    const order = openedOrder(row, orders);
    const { proof, opened_at: openedAt } = row;
    const { resultRecordId, ...lines } = row.lines;
    const records = resultRecordId === null ? lines.records : recordsBefore(lines.records, resultRecordId);
    return {
      originId,
      transfer: { ...lines, ...{ originId, orderSha256, bodySha256, order, proof, openedAt, records } },
    };
  });
}

/** An answer may be recorded late, after the end. */
function recordsBefore(records: TransferRecords, end: number): TransferRecords {
  const isBefore = ({ recordId }: { readonly recordId: number }): boolean => recordId < end;
  return {
    ...records,
    requests: records.requests.map((line) =>
      line.answer === null || isBefore(line.answer) ? line : { ...line, answer: null },
    ),
    decisions: records.decisions.filter(isBefore),
    doubts: records.doubts.filter(isBefore),
  };
}

function openedOrder({ order_json, origin_id, opened_at }: Row, cipher: OrderCipher): AuditedOrder {
  try {
    const order = cipher.openOrder(order_json, toOriginId(origin_id));
    return { kind: 'open', order, isBelieved: cipher.isBelieved(order_json, opened_at) };
  } catch (error) {
    // Giro seals only JSON, so somebody else sealed this text.
    return { kind: error instanceof SealError && error.why === 'unknown-key' ? 'unreadable' : 'altered' };
  }
}

/** A count reads a whole index: some 70 ms for a million transfers. */
const COUNTED_UP_TO = 100_000;

const countText = `
select case when n.counted <= ${COUNTED_UP_TO} then n.counted else greatest(n.counted, c.reltuples) end::float8 as count,
  n.counted > ${COUNTED_UP_TO} as is_estimate
from pg_class c, (
  select count(*) as counted from (select from giro.transfer limit ${COUNTED_UP_TO} + 1) x
) n
where c.oid = 'giro.transfer'::regclass`;

export interface TransferCount {
  readonly count: number;
  /** There are many transfers, so `count` is PostgreSQL's estimate. */
  readonly isEstimate: boolean;
}

export async function countTransfers({ database }: JournalContext): Promise<TransferCount> {
  const [row] = await database.run<{ count: number; is_estimate: boolean }>(
    { name: 'count-transfers', text: countText },
    [],
  );
  if (row === undefined) throw new Error('the catalog has no table giro.transfer');
  return { count: row.count, isEstimate: row.is_estimate };
}

/** Tables whose rows belong to a transfer. */
const OF_A_TRANSFER = ['request', 'answer', 'flags', 'decision', 'doubt', 'result', 'annulment'] as const;

const strayText = `
select * from (${OF_A_TRANSFER.map(
  (table) => `(
  select distinct '${table}' as "table", x.origin_id from giro.${table} x
  where x.origin_id > $1::bigint and x.origin_id <= $2::bigint
    and not exists (select from giro.transfer t where t.origin_id = x.origin_id)
  order by x.origin_id limit $3::integer)`,
).join(' union all ')}) found order by origin_id, "table" limit $3::integer`;

/** Enough to show what happened: an owner who deletes transfers leaves few rows or none. */
const STRAY_MAX = 100;

/** Rows of missing transfers with `after` < originId <= `upTo`: somebody has deleted the transfer. */
export async function rowsWithoutTransfer(
  { database }: JournalContext,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly { readonly table: string; readonly originId: number }[]> {
  const rows = await database.run<{ table: string; origin_id: string }>(
    { name: 'rows-without-transfer', text: strayText },
    [after, upTo, STRAY_MAX],
  );
  return rows.map(({ table, origin_id }) => ({ table, originId: toOriginId(origin_id) }));
}
