import type { CreateAnswer, LookupAnswer } from '../../../src/domain/transfer/answers';
import { ANSWER_COLUMNS, answerValues } from '../../../src/journal/statements/record-answer';

interface Row {
  readonly originId: number;
  readonly number: number;
  readonly answer: CreateAnswer | LookupAnswer;
  /** Default: now. */
  readonly recordedAt?: string;
}

/** Inserts an answer with plain SQL: in an open transaction, or with a time that only the owner can set. */
export async function insertAnswer(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  { originId, number, answer, recordedAt }: Row,
): Promise<void> {
  const values = answerValues(answer);
  await query(
    `insert into giro.answer (origin_id, number, digest, recorded_at, ${ANSWER_COLUMNS})
     values ($1, $2, 'd', coalesce($3::timestamptz, clock_timestamp()),
       ${values.map((_, index) => `$${index + 4}`).join(', ')})`,
    [originId, number, recordedAt ?? null, ...values],
  );
}
