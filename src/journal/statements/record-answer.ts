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

/** The columns that hold an answer. */
const COLUMNS = [
  ...(['kind', 'bank_status', 'movement_id', 'network', 'network_id', 'posting_at', 'completed_at'] as const),
  ...(['echo', 'evidence_sha256', 'details'] as const),
] as const;
export const ANSWER_COLUMNS = COLUMNS.join(', ');

/** The details of a movement that `answer_json` adds where a row has none. */
const USUAL_DETAILS = JSON.stringify({ echoFields: [] });

/**
 * The values of `ANSWER_COLUMNS`. The inverse of `giro.answer_json`, except that a `retryAfterMs` of null is left out.
 */
export function answerValues(answer: CreateAnswer | LookupAnswer): readonly unknown[] {
  const row = rowOf(answer);
  return COLUMNS.map((column) => row[column] ?? null);
}

type AnswerRow = Partial<Record<(typeof COLUMNS)[number], string | Buffer | null>>;

function rowOf({ kind, ...members }: CreateAnswer | LookupAnswer): AnswerRow {
  const { movement, retryAfterMs, ...others } = { movement: null, retryAfterMs: null, ...members };
  const details = { ...others, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  if (movement === null) return { kind, details: jsonOrNull(details) };
  const { status, movementId, network, networkId, postingAt, completedAt, echo, evidenceSha256, ...more } =
    movement;
  return {
    ...{ kind, network, echo, bank_status: status, movement_id: movementId, network_id: networkId },
    ...{ posting_at: postingAt, completed_at: completedAt },
    evidence_sha256: Buffer.from(evidenceSha256, 'hex'),
    details: jsonOrNull(JSON.stringify(more) === USUAL_DETAILS ? details : { ...details, movement: more }),
  };
}

const jsonOrNull = (details: object): string | null =>
  Object.keys(details).length === 0 ? null : JSON.stringify(details);

/** The table's guard refuses an answer of the wrong kind, of a number never claimed, and a year after the end. */
const text = `
insert into giro.answer (origin_id, number, digest, ${ANSWER_COLUMNS})
values ($1, $2, $3, ${COLUMNS.map((_, index) => `$${index + 4}`).join(', ')})
on conflict (origin_id, number) do nothing`;

/** An answer that is already recorded stays unchanged. */
const withDifferingText = `
with recorded as (
  ${text}
  returning origin_id, number
)
insert into giro.differing_values (origin_id, number, sealed)
select origin_id, number, $${COLUMNS.length + 4}::text from recorded`;

/**
 * Records the outcome of a claimed request, once; a repeat does nothing. Not called for a look-up whose answer has the
 * digest `lastDigest` of `claimRequest`: the earlier record stands for that answer. Called nevertheless if the answer
 * is final, has a Retry-After, or has differing values to store.
 */
export async function recordAnswer(
  { database, differences }: JournalContext,
  { originId, number, digest, answer, differing = [] }: AnswerRecord,
): Promise<void> {
  const values = [originId, number, digest, ...answerValues(answer)];
  const sealed = differing.length === 0 ? null : differences.seal(differing, { originId, number });
  if (sealed === null) await database.run({ name: 'record-answer', text }, values);
  else
    await database.run({ name: 'record-answer-with-differing', text: withDifferingText }, [
      ...values,
      sealed,
    ]);
}
