import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import type { NewAnnulment, RecordedResult } from '../port';
import { recorded } from './record-result';
import type { RecordedRow } from './record-result';

/**
 * Annulment and result in one statement; each has a foreign key to the other. `evidence`: the answer under the
 * number, or the latest before it, which stands for an answer that told the same.
 */
const text = `
with evidence as (
  select a.number, a.bank_status, a.evidence_sha256,
    a.answer #>> '{movement,postingAt}' as posting_at, a.answer #>> '{movement,completedAt}' as completed_at
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

export async function recordAnnulment(
  { database }: JournalContext,
  { result, evidenceNumber, operators }: NewAnnulment,
): Promise<RecordedResult> {
  return againWhenLost(`annulment of transfer ${result.originId}`, async () => {
    const [row] = await database.run<RecordedRow>({ name: 'record-annulment', text }, [
      result.originId,
      evidenceNumber,
      JSON.stringify(result),
      operators,
    ]);
    return row === undefined ? null : recorded(row, result);
  });
}
