import type { JournalContext } from '../context';
import type { AnswerRecord } from '../port';

/** The table's guard refuses the answer of a request that was never claimed, or is of another kind. */
const text = `
insert into giro.answer (origin_id, number, digest, answer)
values ($1, $2, $3, $4::jsonb)
on conflict (origin_id, number) do nothing`;

/** An answer that was recorded before keeps what it was recorded with. */
const withDifferingText = `
with recorded as (
  ${text}
  returning origin_id, number
)
insert into giro.differing_values (origin_id, number, sealed)
select origin_id, number, $5::text from recorded`;

export async function recordAnswer(
  { database, differences }: JournalContext,
  { originId, number, digest, answer, differing = [] }: AnswerRecord,
): Promise<void> {
  const values = [originId, number, digest, JSON.stringify(answer)];
  const sealed = differing.length === 0 ? null : differences.seal(differing, { originId, number });
  if (sealed === null) await database.run({ name: 'record-answer', text }, values);
  else
    await database.run({ name: 'record-answer-with-differing', text: withDifferingText }, [
      ...values,
      sealed,
    ]);
}
