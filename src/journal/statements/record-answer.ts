import type { DifferingValue } from '../../domain/echo';
import type { CreateAnswer, LookupAnswer } from '../../domain/transfer/answers';
import type { JournalContext } from '../context';

export interface AnswerRecord {
  readonly originId: number;
  readonly number: number;
  readonly answer: CreateAnswer | LookupAnswer;
  /** Equal for answers with the same meaning (see `answerDigest`). */
  readonly digest: string;
  /**
   * Accounts and tax ids that differ from the order: sealed under the key ring, or dropped without one. Default: none.
   */
  readonly differing?: readonly DifferingValue[];
}

/** The columns that `giro.answer_columns` makes of an answer. */
export const ANSWER_COLUMNS =
  'kind, bank_status, movement_id, network, network_id, posting_at, completed_at, echo, evidence_sha256, details';

/** The table's guard refuses the answer of a request that was never claimed, or is of another kind. */
const text = `
insert into giro.answer (origin_id, number, digest, ${ANSWER_COLUMNS})
select $1::bigint, $2::integer, $3::text, c.* from giro.answer_columns($4::jsonb) c
on conflict (origin_id, number) do nothing`;

/** An answer that is already recorded stays unchanged. */
const withDifferingText = `
with recorded as (
  ${text}
  returning origin_id, number
)
insert into giro.differing_values (origin_id, number, sealed)
select origin_id, number, $5::text from recorded`;

/**
 * Records the outcome of a claimed request, once; a repeat does nothing. Not called for a look-up whose answer has the
 * digest `lastDigest` of `claimRequest`: the earlier record stands for that answer. Called nevertheless if the answer
 * is final, has a Retry-After, or has differing values to store.
 */
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
