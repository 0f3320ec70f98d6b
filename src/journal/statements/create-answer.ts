import type { CreateAnswer } from '../../domain/transfer/answers';
import type { JournalContext } from '../context';
import { msSince } from '../rows';

export interface RecordedCreate {
  readonly number: number;
  readonly answer: CreateAnswer;
  /** Age of the claim by the journal's clock. */
  readonly claimAgeMs: number;
}

const text = `
select a.answer, ${msSince('r.claimed_at')} as age_ms
from giro.request r join giro.answer a using (origin_id, number)
where r.origin_id = $1::bigint and r.number = $2::integer and r.kind = 'create'`;

/** The recorded answer of a create; null: none. */
export async function createAnswer(
  { database }: JournalContext,
  { originId, number }: { readonly originId: number; readonly number: number },
): Promise<RecordedCreate | null> {
  const [row] = await database.run<{ answer: CreateAnswer; age_ms: number }>(
    { name: 'create-answer', text },
    [originId, number],
  );
  return row === undefined ? null : { number, answer: row.answer, claimAgeMs: row.age_ms };
}
