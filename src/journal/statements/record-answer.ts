import type { Database } from '../database';
import type { AnswerRecord } from '../port';

/** The table's guard refuses the answer of a request that was never claimed, or is of another kind. */
const text = `
insert into giro.answer (origin_id, number, digest, answer)
values ($1, $2, $3, $4::jsonb)
on conflict (origin_id, number) do nothing`;

export async function recordAnswer(
  database: Database,
  { originId, number, digest, answer }: AnswerRecord,
): Promise<void> {
  await database.run({ name: 'record-answer', text }, [originId, number, digest, JSON.stringify(answer)]);
}
