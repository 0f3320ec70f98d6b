import type { LookupAnswer } from '../../domain/transfer/answers';
import type { HeardOutside, OutsideAnswer, OutsideClaim, OutsideQuestion } from '../../reconciliation/port';
import type { Database } from '../database';
import { toIso, toOriginId } from '../rows';

/** The primary key lets one session have each number; a readable answer of the same run is not asked for again. */
const claimText = `
with last as (
  select q.number, a.answer, a.recorded_at, q.as_of = $2 and a.kind in ('movement', 'not-found') as is_heard,
    coalesce(a.recorded_at, q.claimed_at + make_interval(secs => $5::float8 / 1000)) as ended_at,
    coalesce(a.answer ->> 'retryAfterMs', a.answer -> 'error' ->> 'retryAfterMs')::float8 as retry_after_ms
  from giro.outside_question q left join giro.outside_answer a using (origin_id, number)
  where q.origin_id = $1::bigint order by q.number desc limit 1
), word as (
  select a.bank_status from giro.outside_answer a
  where a.origin_id = $1::bigint and a.bank_status is not null order by a.number desc limit 1
), claimed as (
  insert into giro.outside_question (origin_id, number, as_of)
  select $1::bigint, coalesce((select l.number from last l), 0) + 1, $2
  where not exists (
    select from last l left join word w on true
    where l.is_heard or clock_timestamp() < l.ended_at + make_interval(secs => greatest(
      case when w.bank_status = 'DELAYED' then $4::float8 else $3::float8 end, l.retry_after_ms) / 1000)
  )
  on conflict (origin_id, number) do nothing
  returning number
)
select (select c.number from claimed c) as number, l.is_heard, l.answer, l.recorded_at
from (values (1)) one left join last l on true`;

interface Row {
  /** Null: not claimed. */
  readonly number: number | null;
  readonly is_heard: boolean | null;
  readonly answer: LookupAnswer | null;
  readonly recorded_at: Date | null;
}

export async function claimOutside(
  database: Database,
  { originId, asOf, gapMs, delayedGapMs, timeoutMs }: OutsideQuestion,
): Promise<OutsideClaim> {
  const [row] = await database.run<Row>({ name: 'claim-outside', text: claimText }, [
    ...[originId, asOf, gapMs, delayedGapMs, timeoutMs],
  ]);
  if (row === undefined) throw new Error('journal: claim-outside gave no row');
  const { number, is_heard: isHeard, answer, recorded_at: at } = row;
  if (number !== null) return { kind: 'claimed', number };
  return isHeard === true && answer !== null && at !== null
    ? { kind: 'heard', answer, at: toIso(at) }
    : { kind: 'too-soon' };
}

const heardText = `
select distinct on (q.origin_id) q.origin_id, a.answer, a.recorded_at
from giro.outside_question q join giro.outside_answer a using (origin_id, number)
where q.origin_id = any($1::bigint[]) and q.as_of = $2 and a.kind in ('movement', 'not-found')
order by q.origin_id, q.number desc`;

export async function heardOutside(
  database: Database,
  { asOf, originIds }: { readonly asOf: string; readonly originIds: readonly number[] },
): Promise<HeardOutside[]> {
  const rows = await database.run<{
    readonly origin_id: string;
    readonly answer: LookupAnswer;
    readonly recorded_at: Date;
  }>({ name: 'heard-outside', text: heardText }, [originIds, asOf]);
  return rows.map(({ origin_id, answer, recorded_at }) => ({
    ...{ originId: toOriginId(origin_id), answer, at: toIso(recorded_at) },
  }));
}

const answerText = `
insert into giro.outside_answer (origin_id, number, answer) values ($1::bigint, $2::integer, $3::jsonb)`;

export async function recordOutsideAnswer(
  database: Database,
  { originId, number, answer }: OutsideAnswer,
): Promise<void> {
  await database.run({ name: 'record-outside-answer', text: answerText }, [
    ...[originId, number, JSON.stringify(answer)],
  ]);
}
