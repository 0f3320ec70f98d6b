import type { Database } from '../database';
import { againWhenLost } from '../lost-race';
import type { ClaimInDoubt, RequestClaim } from '../port';
import { restoredAt } from '../restored-at';

/**
 * The number goes to a look-up, which the emergency brake does not hold back. It is not made: its row says to later
 * runs that something may have been sent.
 */
const text = `
with known as (
  select coalesce((select max(r.number) from giro.request r where r.origin_id = t.origin_id), 0) as last_number,
    exists (select from giro.result e where e.origin_id = t.origin_id) as ended,
    ${restoredAt('t')} is not null as restored
  from giro.transfer t where t.origin_id = $1::bigint
), claimed as (
  insert into giro.request (origin_id, number, kind, run_id)
  select $1::bigint, $2::integer, 'lookup', $3::text from known
  where restored and not ended and $2::integer = last_number + 1
  on conflict (origin_id, number) do nothing
  returning number
)
select known.last_number, exists (select from claimed) as claimed from known`;

export async function claimInDoubt(
  database: Database,
  { originId, number, runId }: Pick<RequestClaim, 'originId' | 'number' | 'runId'>,
): Promise<ClaimInDoubt> {
  return againWhenLost(`claim ${number} of transfer ${originId}`, async () => {
    const [row] = await database.run<{ last_number: number; claimed: boolean }>(
      { name: 'claim-in-doubt', text },
      [originId, number, runId],
    );
    if (row?.claimed === true) return { kind: 'lost', lastNumber: number };
    const lastNumber = row?.last_number ?? 0;
    return row === undefined || lastNumber < number - 1 ? { kind: 'lost', lastNumber } : { kind: 'known' };
  });
}
