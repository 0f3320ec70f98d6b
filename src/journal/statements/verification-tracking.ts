import { VERIFICATION_REASONS } from '../../domain/verification/flags';
import type { VerificationReason } from '../../domain/verification/flags';
import type { RecordedVerification } from '../../domain/verification/events';
import type { VerificationResult } from '../../domain/verification/state';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import { msSince } from '../rows';
import { VERIFICATION_RESULT_JSON, STATUS_ROWS_MAX, spans } from './verification-statuses';
import type { StatusRow } from './verification-statuses';

export type OpenedVerification =
  | { readonly kind: 'ended'; readonly result: VerificationResult }
  | { readonly kind: 'open'; readonly recorded: RecordedVerification };

/** The statement does not see its own inserts: for a new verification the rest is empty. */
const openText = `
with latest as (
  select t.seq, t.is_tracked from giro.verification_tracking t
  where t.request_id = $1::text order by t.seq desc limit 1
), opened as (
  insert into giro.verification (request_id) values ($1::text) on conflict (request_id) do nothing
  returning request_id
), tracked as (
  insert into giro.verification_tracking (request_id, seq, is_tracked)
  select $1::text, coalesce((select seq from latest), 0) + 1, true
  where not coalesce((select is_tracked from latest), false)
    and not exists (select from giro.verification_outcome o where o.request_id = $1::text)
  returning seq
)
select exists (select from opened) as is_new, ${msSince('v.opened_at')} as since_opened_ms,
  ${VERIFICATION_RESULT_JSON} as result, w.statuses,
  (select f.reasons from giro.verification_flags f where f.request_id = $1::text order by f.seq desc limit 1) as reasons
from (select 1) one
left join giro.verification v on v.request_id = $1::text
left join giro.verification_outcome o on o.request_id = $1::text
left join giro.verification_status ended on ended.request_id = o.request_id and ended.seq = o.seq
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object(
    'status', r.status, 'meaning', r.meaning, 'statusAt', r.status_at, 'recordedAt', r.recorded_at,
    'sinceMs', ${msSince('r.recorded_at')}
  ) order by r.seq), '[]') as statuses
  from (
    select * from giro.verification_status x where x.request_id = $1::text order by x.seq desc limit ${STATUS_ROWS_MAX}
  ) r
) w`;

interface Row {
  readonly is_new: boolean;
  readonly since_opened_ms: number;
  readonly result: VerificationResult | null;
  readonly statuses: readonly (StatusRow & { readonly sinceMs: number })[];
  readonly reasons: readonly string[] | null;
}

/** Records that a verification is tracked (again, after it was stopped), and returns what is known of it. */
export async function openVerification(
  { database }: JournalContext,
  requestId: string,
): Promise<OpenedVerification> {
  return againWhenLost('opening a verification', async () => {
    const [row] = await database.run<Row>({ name: 'open-verification', text: openText }, [requestId]);
    if (row === undefined) return null;
    return row.result === null
      ? { kind: 'open', recorded: toRecorded(row) }
      : { kind: 'ended', result: row.result };
  });
}

function toRecorded({ is_new, since_opened_ms, statuses, reasons }: Row): RecordedVerification {
  return {
    wasTracked: !is_new,
    sinceOpenedMs: is_new ? 0 : since_opened_ms,
    statuses: spans(statuses).map(({ first, last }) => ({
      status: last.status,
      meaning: last.meaning === 'unmapped' ? null : last.meaning,
      statusDate: last.statusAt === null ? null : new Date(last.statusAt).toISOString(),
      sinceMs: first.sinceMs,
    })),
    openFlags: VERIFICATION_REASONS.filter((reason) => (reasons ?? []).includes(reason)),
  };
}

/** Compares sets, as `record-flags.ts` does. Creates the verification if a restored journal lacks it. */
const FLAGS = `
with latest as (
  select f.seq, f.reasons from giro.verification_flags f where f.request_id = $1::text order by f.seq desc limit 1
), changed as (
  select coalesce((select seq from latest), 0) + 1 as seq
  from (select coalesce((select reasons from latest), '{}') as reasons) held
  where not (held.reasons @> $2::text[] and held.reasons <@ $2::text[])
), opened as (
  insert into giro.verification (request_id) select $1::text from changed on conflict (request_id) do nothing
  returning request_id
), tracked as (
  insert into giro.verification_tracking (request_id, seq, is_tracked) select request_id, 1, true from opened
)
insert into giro.verification_flags (request_id, seq, reasons)
select $1::text, seq, $2::text[] from changed`;

/** Writes the full set of open flags after a change (empty: all cleared). */
export async function recordVerificationFlags(
  { database }: JournalContext,
  requestId: string,
  reasons: readonly VerificationReason[],
): Promise<void> {
  await againWhenLost('flags of a verification', () =>
    database.run({ name: 'verification-flags', text: FLAGS }, [requestId, reasons]),
  );
}

const STOP = `
with latest as (
  select t.seq, t.is_tracked from giro.verification_tracking t
  where t.request_id = $1::text order by t.seq desc limit 1
)
insert into giro.verification_tracking (request_id, seq, is_tracked)
select $1::text, seq + 1, false from latest where is_tracked`;

/** Stops the tracking until it is opened again. */
export async function stopVerification({ database }: JournalContext, requestId: string): Promise<void> {
  await againWhenLost('stopping a verification', () =>
    database.run({ name: 'stop-verification', text: STOP }, [requestId]),
  );
}
