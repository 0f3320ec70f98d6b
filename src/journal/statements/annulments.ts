import type { JournalContext } from '../context';
import type { Annulment } from '../port';
import { ANNULMENT_JSON, toAnnulment } from './annulment-row';
import type { AnnulmentJson } from './annulment-row';

const text = `
select ${ANNULMENT_JSON} as annulment
from giro.annulment n join giro.transfer t using (origin_id)
where $1::timestamptz is null or n.recorded_at >= $1::timestamptz
order by n.recorded_at, n.record_id`;

export async function annulments(
  { database, orders }: JournalContext,
  { since }: { readonly since: string | null },
): Promise<readonly Annulment[]> {
  const rows = await database.run<{ annulment: AnnulmentJson }>({ name: 'annulments', text, replan: true }, [
    since,
  ]);
  return rows.map(({ annulment }) => toAnnulment(annulment, orders));
}
