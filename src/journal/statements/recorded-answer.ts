import type { CreateAnswer, LookupAnswer } from '../../domain/transfer/answers';
import type { JournalContext } from '../context';
import { msSince } from '../rows';

export type RecordedAnswer = {
  readonly number: number;
  /** Ages of the claim and of the answer's record, by the journal's clock. */
  readonly claimAgeMs: number;
  readonly answerAgeMs: number;
} & (
  | { readonly requestKind: 'create'; readonly answer: CreateAnswer }
  | { readonly requestKind: 'lookup'; readonly answer: LookupAnswer }
);

const text = `
select r.number, r.kind as "requestKind", giro.answer_json(a) as answer, ${msSince('r.claimed_at')} as "claimAgeMs",
  ${msSince('a.recorded_at')} as "answerAgeMs"
from giro.request r join giro.answer a using (origin_id, number)
where r.origin_id = $1::bigint and r.number = $2::integer`;

/** The recorded answer of a request; null: none. */
export async function recordedAnswer(
  { database }: JournalContext,
  { originId, number }: { readonly originId: number; readonly number: number },
): Promise<RecordedAnswer | null> {
  const [row] = await database.run<RecordedAnswer>({ name: 'recorded-answer', text }, [originId, number]);
  return row ?? null;
}
