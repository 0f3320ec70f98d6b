import type { VerificationResult } from '../../domain/verification/state';
import type { Meaning } from '../../domain/verification/status-map';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import { VERIFICATION_RESULT_JSON } from './verification-words';

export interface ToldWord {
  readonly requestId: string;
  /** In its recordable form. */
  readonly status: string;
  /** Null: not mapped. */
  readonly meaning: Meaning | null;
  /** ISO UTC. */
  readonly statusDate: string | null;
  /** SHA-256 of the answer's raw bytes, hex. */
  readonly evidenceSha256: string;
  readonly ends: boolean;
  /** JSON of the whole answer, to be kept encrypted; null: not kept. */
  readonly answerText: string | null;
}

/**
 * A journal that was restored from a backup may lack a verification whose run goes on: it is written down again.
 * `present`: the row of this word, new or the latest one already. The keys let one session win; another one looks
 * again. What this statement inserts is not in its own snapshot, hence `finished` beside the outcome that was there.
 */
const text = `
with latest as (
  select w.seq, w.status, w.meaning from giro.verification_word w
  where w.request_id = $1::text order by w.seq desc limit 1
), opened as (
  insert into giro.verification (request_id) values ($1::text) on conflict (request_id) do nothing
  returning request_id
), tracked as (
  insert into giro.verification_tracking (request_id, seq, is_tracked) select request_id, 1, true from opened
), told as (
  insert into giro.verification_word (request_id, seq, status, meaning, status_at, evidence_sha256)
  select $1::text, coalesce((select seq from latest), 0) + 1, $2::text, $3::text, $4::timestamptz, $5::text
  where not exists (select from latest where status = $2::text and meaning = $3::text)
    and not exists (select from giro.verification_outcome o where o.request_id = $1::text)
  returning seq, status, status_at
), present as (
  select seq from told
  union all
  select seq from latest where status = $2::text and meaning = $3::text
), finished as (
  insert into giro.verification_outcome (request_id, seq, outcome)
  select $1::text, seq, $3::text from present
  where $6::boolean and not exists (select from giro.verification_outcome o where o.request_id = $1::text)
  returning request_id, seq, outcome
), kept as (
  insert into giro.verification_answer (request_id, seq, sealed)
  select $1::text, seq, $7::text from present
  where $7::text is not null and (exists (select from told) or exists (select from finished))
  on conflict (request_id, seq) do nothing
)
select ${VERIFICATION_RESULT_JSON} as result
from (
  select request_id, seq, outcome from finished
  union all
  select request_id, seq, outcome from giro.verification_outcome where request_id = $1::text
) o
join (
  select seq, status, status_at from told
  union all
  select seq, status, status_at from giro.verification_word where request_id = $1::text
) ended using (seq)`;

/**
 * Records a word of the bank's (of a verification that the journal lacks too, as one that is tracked) unless it is the latest one already, its full answer when there is one to keep, and
 * the outcome when the word ends the verification; all in one statement. Returns the outcome that the journal holds
 * now: once there is one, nothing is added.
 */
export async function recordStatus(
  { database, answers }: JournalContext,
  { requestId, status, meaning, statusDate, evidenceSha256, ends, answerText }: ToldWord,
): Promise<VerificationResult | null> {
  const values = [
    ...[requestId, status, meaning ?? 'unmapped', statusDate, evidenceSha256, ends],
    answerText === null ? null : answers.seal(answerText, requestId),
  ];
  const { result } = await againWhenLost('recording the status of a verification', async () => {
    const [row] = await database.run<{ result: VerificationResult }>({ name: 'record-status', text }, values);
    return { result: row?.result ?? null };
  });
  if (ends && result === null) throw new Error('journal: the verification that ended is not in the journal');
  return result;
}
