import type { VerificationResult } from '../../domain/verification/state';
import type { Meaning } from '../../domain/verification/status-map';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import { VERIFICATION_RESULT_JSON } from './verification-statuses';

export interface ReportedStatus {
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
  /** JSON of the full answer, to be stored encrypted; null: not stored. */
  readonly answerText: string | null;
}

/**
 * A journal that was restored from a backup may lack a verification whose run continues: this records the verification
 * again. `present`: the row of this status, new or already the latest. The keys let one session win; the other tries
 * again. The statement does not see its own inserts, so it reads `finished` in addition to the existing outcome.
 */
const text = `
with latest as (
  select w.seq, w.status, w.meaning, w.status_at, w.evidence_sha256 from giro.verification_status w
  where w.request_id = $1::text order by w.seq desc limit 1
), opened as (
  insert into giro.verification (request_id) values ($1::text) on conflict (request_id) do nothing
  returning request_id
), tracked as (
  insert into giro.verification_tracking (request_id, seq, is_tracked) select request_id, 1, true from opened
), changed as (
  insert into giro.verification_status (request_id, seq, status, meaning, status_at, evidence_sha256)
  select $1::text, coalesce((select seq from latest), 0) + 1, $2::text, $3::text, $4::timestamptz, $5::text
  where not exists (
      select from latest where status = $2::text and meaning = $3::text
        and (not $6::boolean or status_at is not distinct from $4::timestamptz and evidence_sha256 = $5::text)
    )
    and not exists (select from giro.verification_outcome o where o.request_id = $1::text)
  returning seq, status, status_at
), present as (
  select seq from changed
  union all
  select seq from latest where status = $2::text and meaning = $3::text and not exists (select from changed)
), finished as (
  insert into giro.verification_outcome (request_id, seq, outcome)
  select $1::text, seq, $3::text from present
  where $6::boolean and not exists (select from giro.verification_outcome o where o.request_id = $1::text)
  returning request_id, seq, outcome
), kept as (
  insert into giro.verification_answer (request_id, seq, sealed)
  select $1::text, seq, $7::text from present
  where $7::text is not null and (exists (select from changed) or exists (select from finished))
  on conflict (request_id, seq) do nothing
)
select ${VERIFICATION_RESULT_JSON} as result
from (
  select request_id, seq, outcome from finished
  union all
  select request_id, seq, outcome from giro.verification_outcome where request_id = $1::text
) o
join (
  select seq, status, status_at from changed
  union all
  select seq, status, status_at from giro.verification_status where request_id = $1::text
) ended using (seq)`;

/**
 * Records a status of the bank unless it is already the latest. An answer that ends the verification is always recorded:
 * an earlier answer with the same status may have been incomplete. The same statement records the full answer, if one is
 * to be stored, and the outcome, if the status ends the verification. Creates the verification if it is missing.
 * Returns the journal's current outcome; after an outcome nothing is added.
 */
export async function recordStatus(
  { database, answers }: JournalContext,
  { requestId, status, meaning, statusDate, evidenceSha256, ends, answerText }: ReportedStatus,
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
