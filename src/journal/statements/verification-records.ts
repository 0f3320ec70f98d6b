import type { VerificationResult } from '../../domain/verification/state';
import type { JournalContext } from '../context';
import { toIso, toIsoOrNull } from '../rows';
import { VERIFICATION_RESULT_JSON, STATUS_ROWS_MAX, spans } from './verification-statuses';
import type { StatusRow } from './verification-statuses';

export interface VerificationFilter {
  /** Compared exactly with the latest status; null: any. */
  readonly status: string | null;
  readonly needsAttention: boolean;
  /** Only tracked verifications without an outcome. */
  readonly isOpen: boolean;
  readonly limit: number;
}

/** A verification as the journal alone knows it. Times are ISO UTC. */
export interface VerificationRecord {
  readonly requestId: string;
  readonly openedAt: string;
  /** False: stopped. */
  readonly isTracked: boolean;
  readonly status: string | null;
  readonly statusDate: string | null;
  /** Empty once the verification has an outcome or is stopped: nobody has to act. */
  readonly attentionReasons: readonly string[];
  /** The bank's statuses in order, last 50. */
  readonly history: readonly { readonly status: string; readonly at: string }[];
  readonly result: VerificationResult | null;
  readonly endedAt: string | null;
  /** When the latest full answer was kept; null: none is. */
  readonly answerKeptAt: string | null;
}

export interface StoredAnswer {
  /** JSON: personal data. */
  readonly text: string;
  readonly keptAt: string;
}

/** Everything of the verifications in `picked (request_id)`, newest first. */
const detailsText = `
select v.request_id, v.opened_at, coalesce(t.is_tracked, false) as is_tracked,
  case when t.is_tracked and o.request_id is null then f.reasons else '{}' end as reasons,
  w.statuses, ${VERIFICATION_RESULT_JSON} as result, o.recorded_at as ended_at, a.kept_at
from picked
join giro.verification v using (request_id)
left join giro.verification_outcome o using (request_id)
left join giro.verification_status ended on ended.request_id = o.request_id and ended.seq = o.seq
left join lateral (
  select x.is_tracked from giro.verification_tracking x
  where x.request_id = v.request_id order by x.seq desc limit 1
) t on true
left join lateral (
  select x.reasons from giro.verification_flags x where x.request_id = v.request_id order by x.seq desc limit 1
) f on true
left join lateral (
  select max(x.recorded_at) as kept_at from giro.verification_answer x where x.request_id = v.request_id
) a on true
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object(
    'status', r.status, 'meaning', r.meaning, 'statusAt', r.status_at, 'recordedAt', r.recorded_at
  ) order by r.seq), '[]') as statuses
  from (
    select * from giro.verification_status x where x.request_id = v.request_id order by x.seq desc limit ${STATUS_ROWS_MAX}
  ) r
) w
order by v.opened_at desc, v.request_id`;

const oneText = `
with picked as (select $1::text as request_id)
${detailsText}`;

const IS_OPEN = `
  coalesce((
    select x.is_tracked from giro.verification_tracking x
    where x.request_id = v.request_id order by x.seq desc limit 1
  ), false)
  and not exists (select from giro.verification_outcome x where x.request_id = v.request_id)`;

const listText = `
with picked as (
  select v.request_id from giro.verification v
  where ($1::text is null or $1::text = (
      select x.status from giro.verification_status x where x.request_id = v.request_id order by x.seq desc limit 1
    ))
    and (not $2::boolean or coalesce((
      select x.reasons <> '{}' from giro.verification_flags x
      where x.request_id = v.request_id order by x.seq desc limit 1
    ), false) and (${IS_OPEN}))
    and (not $3::boolean or (${IS_OPEN}))
  order by v.opened_at desc, v.request_id limit $4::integer
)
${detailsText}`;

const answerText = `
select x.sealed, x.recorded_at from giro.verification_answer x
where x.request_id = $1::text order by x.seq desc limit 1`;

interface Row {
  readonly request_id: string;
  readonly opened_at: Date;
  readonly is_tracked: boolean;
  readonly reasons: readonly string[] | null;
  readonly statuses: readonly StatusRow[];
  readonly result: VerificationResult | null;
  readonly ended_at: Date | null;
  readonly kept_at: Date | null;
}

export async function verification(
  { database }: JournalContext,
  requestId: string,
): Promise<VerificationRecord | null> {
  const [row] = await database.run<Row>({ name: 'verification', text: oneText }, [requestId]);
  return row === undefined ? null : toRecord(row);
}

/** Newest first. */
export async function verifications(
  { database }: JournalContext,
  { status, needsAttention, isOpen, limit }: VerificationFilter,
): Promise<readonly VerificationRecord[]> {
  const values = [status, needsAttention, isOpen, limit];
  const rows = await database.run<Row>({ name: 'verifications', text: listText, replan: true }, values);
  return rows.map(toRecord);
}

/** The latest stored full answer, decrypted. */
export async function verificationAnswer(
  { database, answers }: JournalContext,
  requestId: string,
): Promise<StoredAnswer | null> {
  const [row] = await database.run<{ sealed: string; recorded_at: Date }>(
    { name: 'verification-answer', text: answerText },
    [requestId],
  );
  return row === undefined
    ? null
    : { text: answers.open(row.sealed, requestId), keptAt: toIso(row.recorded_at) };
}

function toRecord(row: Row): VerificationRecord {
  const statuses = spans(row.statuses);
  const last = statuses.at(-1)?.last;
  return {
    requestId: row.request_id,
    openedAt: toIso(row.opened_at),
    isTracked: row.is_tracked,
    status: last?.status ?? null,
    statusDate: toIsoOrNull(last?.statusAt ?? null),
    attentionReasons: row.reasons ?? [],
    history: statuses.map(({ first }) => ({ status: first.status, at: toIso(first.recordedAt) })),
    result: row.result,
    endedAt: toIsoOrNull(row.ended_at),
    answerKeptAt: toIsoOrNull(row.kept_at),
  };
}
