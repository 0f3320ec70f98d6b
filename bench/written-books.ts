import type { Client } from 'pg';
import { madeUpOrder } from '../dev/made-up-order';
import type { GiroEnvironment } from '../dev/giro-environment';
import { ourBank } from '../src/bank/our-bank';
import type { TransferOrder } from '../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../src/domain/order-fingerprint';
import { RuleSet } from '../src/sandbox-bank/rules/rule-set';

const BATCH = 5_000;

/** Sends all written transfers: a bank statement is of one account. */
export const SENDER = madeUpOrder(1, 'bench').from;

export const writtenOrder = (originId: number): TransferOrder => ({
  ...madeUpOrder(originId, 'bench'),
  from: SENDER,
});

export interface WrittenTransfer {
  readonly originId: number;
  readonly movementId: string;
  readonly networkId: string;
}

/** Writes transfers that agree into bank and journal, directly, as input of a measurement. */
export async function writeBooks(
  { bank }: Pick<GiroEnvironment, 'bank'>,
  sql: Client,
  { firstId, count, status }: { firstId: number; count: number; status: 'COMPLETED' | 'DELAYED' },
  told: (batch: readonly WrittenTransfer[]) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const rules = RuleSet.read([{ states: [status] }]);
  for (let from = firstId; from < firstId + count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, firstId + count - from) }, (_, i) => {
      const order = writtenOrder(from + i);
      const dossier = bank.book.dossierFor({ ...order, originId: String(from + i) }, (it) =>
        rules.behaviourFor(it),
      );
      const { id, networkId } = bank.book.take(dossier);
      return {
        ...{ originId: from + i, order, movementId: id, networkId },
        ...{
          orderSha256: orderFingerprint(order),
          bodySha256: bodyFingerprint(ourBank.movements.createBody(order)),
        },
      };
    });
    await sql.query(WRITE_OPEN, [JSON.stringify(rows)]);
    await sql.query(WRITE_ANSWER, [JSON.stringify(rows), status]);
    if (status === 'COMPLETED') await sql.query(WRITE_FINAL, [JSON.stringify(rows)]);
    await told(rows);
  }
}

/** Claims are at least one second old, because a final is asked about only after its gap. */
const WRITE_OPEN = `
with row as (
  select * from jsonb_to_recordset($1::jsonb) as r (
    "originId" bigint, "order" jsonb, "orderSha256" text, "bodySha256" text
  )
), opened as (
  insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, opened_at)
  select r."originId", r."orderSha256", r."order", r."bodySha256", now() - interval '1 minute' from row r
)
insert into giro.request (origin_id, number, kind, run_id, claimed_at)
select r."originId", 1, 'create', 'bench', now() - interval '1 minute' from row r`;

const WRITE_ANSWER = `
insert into giro.answer (origin_id, number, digest, kind, bank_status, movement_id, network, network_id, echo,
  evidence_sha256, recorded_at)
select r."originId", 1, 'bench', 'answered', $2::text, r."movementId", 'COELSA', r."networkId", 'match',
  decode(repeat('00', 32), 'hex'), now() - interval '1 minute'
from jsonb_to_recordset($1::jsonb) as r ("originId" bigint, "movementId" text, "networkId" text)`;

const WRITE_FINAL = `
insert into giro.result (origin_id, result, recorded_at)
select r."originId", jsonb_build_object('originId', r."originId", 'status', 'COMPLETED', 'movementId', r."movementId",
  'network', 'COELSA', 'networkId', r."networkId",
  'amount', jsonb_build_object('currency', '032', 'value', '1500.25'), 'annulmentId', null, 'decidedBy', 'bank',
  'reason', null, 'orderSha256', r."orderSha256"), now() - interval '50 seconds'
from jsonb_to_recordset($1::jsonb) as r ("originId" bigint, "movementId" text, "networkId" text, "orderSha256" text)`;
