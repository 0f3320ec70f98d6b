import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';

/**
 * Compares sets, not lists; before the first row the set is empty. Of two concurrent writers, one tries again. Nothing
 * is written for a transfer that a restored journal does not know: the run still shows its flags.
 */
const text = `
with latest as (
  select f.seq, f.reasons from giro.flags f where f.origin_id = $1::bigint order by f.seq desc limit 1
)
insert into giro.flags (origin_id, seq, reasons, conflict)
select $1::bigint, coalesce((select seq from latest), 0) + 1, $2::text[], $3::text
from (select coalesce((select reasons from latest), '{}') as reasons) held
where not (held.reasons @> $2::text[] and held.reasons <@ $2::text[])
  and exists (select from giro.transfer t where t.origin_id = $1::bigint)`;

/**
 * Writes the full set of open flags after a change (empty: all cleared), with the reason of `JOURNAL_CONFLICT`. A
 * repeat of the latest set does nothing.
 */
export async function recordFlags(
  { database }: JournalContext,
  originId: number,
  reasons: readonly string[],
  conflict: string | null = null,
): Promise<void> {
  await againWhenLost(`flags of transfer ${originId}`, () =>
    database.run({ name: 'record-flags', text }, [originId, reasons, conflict]),
  );
}
