import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';

export interface CreateRetry {
  readonly originId: number;
  readonly number: number;
  /** The journal that the run noted at receipt. */
  readonly journalId: string;
}

/**
 * Contract 4.1: a missing claim proves that nothing was sent only if two conditions hold. This is the journal that the
 * run noted at receipt, and it has lost no request of the transfer. Otherwise this statement records a doubt, so that
 * every later run knows of it.
 */
const text = `
with known as (
  select t.origin_id,
    exists (select from giro.request r where r.origin_id = t.origin_id and r.number = $2::integer) as is_claimed,
    giro.journal_id() = $3::text
      and $2::integer = coalesce((select max(r.number) from giro.request r where r.origin_id = t.origin_id), 0) + 1 as is_same,
    exists (select from giro.doubt x where x.origin_id = t.origin_id) as is_doubted,
    exists (select from giro.result e where e.origin_id = t.origin_id) as is_ended
  from giro.transfer t where t.origin_id = $1::bigint
), doubted as (
  insert into giro.doubt (origin_id, reason)
  select origin_id, 'journal-changed' from known where not is_claimed and not is_same and not is_doubted and not is_ended
  returning record_id
)
select is_claimed or is_ended or is_same and not is_doubted as is_vouched from known`;

/**
 * Called before a create is retried, or a withdrawal replaces one: whether the journal would know if an earlier try had
 * left. False: an earlier try may have left, and the journal now holds a doubt; or the journal does not have the
 * transfer, and records nothing.
 */
export async function vouchForCreate(
  { database }: JournalContext,
  { originId, number, journalId }: CreateRetry,
): Promise<boolean> {
  return againWhenLost(`check before create ${number} of transfer ${originId}`, async () => {
    const [row] = await database.run<{ is_vouched: boolean }>({ name: 'vouch-for-create', text }, [
      ...[originId, number, journalId],
    ]);
    return row?.is_vouched ?? false;
  });
}
