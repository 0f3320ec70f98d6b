import type { TransferOrder } from '../../domain/order';
import { factsOf } from '../../domain/transfer/facts';
import type { TransferFacts } from '../../domain/transfer/facts';
import type { DecisionRecord } from '../../domain/transfer/decisions/decision';
import { withDecisions } from '../../domain/transfer/records';
import type { KnownRequests, TransferRecords } from '../../domain/transfer/records';
import type { TransferResult } from '../../domain/transfer/result';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import { toResult } from '../rows';
import { TRANSFER_LINES } from './transfer-lines';

export interface TransferOpening {
  readonly order: TransferOrder;
  /** Stored with a new order; a known order keeps the proof from its receipt. Default: none. */
  readonly proof?: string | null;
  readonly orderSha256: string;
  /** Lower-case hex SHA-256 of the create body that the order is rendered to. */
  readonly bodySha256: string;
  /** False: nothing is written for an order that the journal does not know yet. Default true. */
  readonly mayBeNew?: boolean;
  /**
   * The requests that the run knows. If the journal has lost requests and a create may be among them, the same
   * statement records a doubt. Default: none.
   */
  readonly known?: KnownRequests;
  /** Decisions of the run that are not recorded yet; the facts treat them as recorded. Default: none. */
  readonly unwritten?: readonly DecisionRecord[];
}

export type OpenedTransfer =
  /** Unknown, and `mayBeNew` is false. */
  | { readonly kind: 'unknown' }
  /** The originId belongs to another order. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'ended'; readonly result: TransferResult }
  | {
      readonly kind: 'open';
      /** Null: a new transfer, of which the journal has nothing else. */
      readonly facts: TransferFacts | null;
      /** Identifies this PostgreSQL database: system identifier and timeline. */
      readonly journalId: string;
    };

/**
 * `doubted`: the journal has lost requests of a run that has sent creates, or a create may have left under a journal
 * that no longer exists. If the run has sent no create, lost look-ups cause no doubt. `lines` does not show the new
 * doubt yet.
 */
const text = `
with opened as (
  insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, proof)
  select $1::bigint, $2, $3::jsonb, $4, $10::text where $5::boolean
  on conflict (origin_id) do nothing
  returning origin_id
), doubted as (
  insert into giro.doubt (origin_id, reason)
  select $1::bigint, 'requests-lost'
  where (
      $7::integer > (select count(*) from giro.perhaps_sent p where p.origin_id = $1)
      or $7::integer > 0 and $6::integer > coalesce((select max(r.number) from giro.request r where r.origin_id = $1), 0)
      or $8::integer is not null
        and not exists (select from giro.request r where r.origin_id = $1 and r.number = $8::integer)
        and (exists (select from opened) or giro.journal_id() <> $9::text)
    )
    and (exists (select from opened) or exists (select from giro.transfer t where t.origin_id = $1 and t.order_sha256 = $2))
    and not exists (select from giro.result e where e.origin_id = $1)
    and not exists (select from giro.doubt x where x.origin_id = $1)
  returning record_id, recorded_at
)
select exists (select from opened) as is_new, exists (select from doubted) as is_doubted, giro.journal_id() as journal_id,
  t.order_sha256, e.result, ${TRANSFER_LINES} as lines
from (values ($1::bigint)) asked (origin_id)
left join giro.transfer t using (origin_id)
left join giro.result e using (origin_id)`;

interface Row {
  readonly is_new: boolean;
  readonly is_doubted: boolean;
  readonly journal_id: string;
  /** Null for a new transfer, and for one whose row another session has just inserted. */
  readonly order_sha256: string | null;
  readonly result: TransferResult | null;
  readonly lines: TransferRecords;
}

const NOTHING_KNOWN: KnownRequests = { lastNumber: 0, sends: 0, tried: null };

/**
 * Records the order unless its originId is known, and returns what the journal knows of the transfer. Order, proof,
 * fingerprint and the SHA-256 of the create body never change afterwards.
 */
export async function openTransfer(
  { database, orders }: JournalContext,
  {
    order,
    proof = null,
    orderSha256,
    bodySha256,
    mayBeNew = true,
    known = NOTHING_KNOWN,
    unwritten = [],
  }: TransferOpening,
): Promise<OpenedTransfer> {
  const values = [
    order.originId,
    orderSha256,
    JSON.stringify(orders.sealOrder(order)),
    bodySha256,
    mayBeNew,
    known.lastNumber,
    known.sends,
    known.tried?.number ?? null,
    known.tried?.journalId ?? null,
    proof,
  ];
  return againWhenLost(`opening transfer ${order.originId}`, async () => {
    const [row] = await database.run<Row>({ name: 'open-transfer', text }, values);
    // A statement does not see what it writes itself.
    if (row?.is_doubted === true) return null;
    if (row?.is_new === true) return { kind: 'open', facts: null, journalId: row.journal_id };
    if (row === undefined || row.order_sha256 === null) return mayBeNew ? null : { kind: 'unknown' };
    if (row.order_sha256 !== orderSha256) return { kind: 'conflict' };
    if (row.result !== null) return { kind: 'ended', result: toResult(row.result) };
    return { kind: 'open', facts: factsOf(withDecisions(row.lines, unwritten)), journalId: row.journal_id };
  });
}
