import type { JournalContext } from '../context';
import { toIso } from '../rows';

/** The transfers that ended in this span; ISO UTC. */
export interface ArchiveSpan {
  /** Inclusive; null: since the beginning. */
  readonly endedFrom: string | null;
  /** Exclusive. */
  readonly endedBefore: string;
}

export interface NewArchive extends ArchiveSpan {
  /** SHA-256 of the file: 64 lower-case hex digits. */
  readonly sha256: string;
  readonly transfers: number;
  readonly answers: number;
  /** 1–100 characters, as given by the person who ran the command: not authenticated. */
  readonly operator: string;
}

/** An archive whose answers may be deleted from the journal. */
export interface Archive extends NewArchive {
  /** ISO UTC. */
  readonly recordedAt: string;
}

const listText = `
select sha256, nullif(ended_from, '-infinity') as ended_from, ended_before, transfers::float8 as transfers,
  answers::float8 as answers, operator, recorded_at
from giro.archive order by ended_before, recorded_at`;

interface Row {
  readonly sha256: string;
  readonly ended_from: Date | null;
  readonly ended_before: Date;
  readonly transfers: number;
  readonly answers: number;
  readonly operator: string;
  readonly recorded_at: Date;
}

/** Oldest span first. */
export async function archives({ database }: JournalContext): Promise<readonly Archive[]> {
  const rows = await database.run<Row>({ name: 'archives', text: listText }, []);
  return rows.map(({ ended_from, ended_before, recorded_at, ...row }) => ({
    ...row,
    endedFrom: ended_from === null ? null : toIso(ended_from),
    endedBefore: toIso(ended_before),
    recordedAt: toIso(recorded_at),
  }));
}

/** `line` has the JSON text that PostgreSQL prints, so that a comparison with the row is exact. */
const exportText = `
with page as (
  select e.origin_id, e.recorded_at from giro.result e
  where e.recorded_at >= coalesce($1::timestamptz, '-infinity') and e.recorded_at < $2::timestamptz
    and (e.recorded_at, e.origin_id) > (coalesce($3::timestamptz, '-infinity'), $4::bigint)
  order by e.recorded_at, e.origin_id limit $5::integer
)
select p.origin_id::text, p.recorded_at::text as ended_at, x.answers::integer,
  case when x.answers > 0 then jsonb_build_object('originId', p.origin_id, 'orderSha256', t.order_sha256,
    'endedAt', p.recorded_at, 'answers', x.rows)::text end as line
from page p join giro.transfer t using (origin_id) cross join lateral (
  select count(*) as answers, jsonb_agg(jsonb_build_object('number', a.number, 'recordId', a.record_id,
    'recordedAt', a.recorded_at, 'digest', a.digest, 'answer', giro.answer_json(a)) order by a.number) as rows
  from giro.answer a where a.origin_id = p.origin_id and giro.is_superseded(a)
) x
order by p.recorded_at, p.origin_id`;

/** Where the next page begins: after this transfer. `endedAt`: PostgreSQL's text, to the microsecond. */
export interface ArchivePlace {
  readonly endedAt: string;
  readonly originId: string;
}

export interface ArchivePage {
  /** Number of transfers in the page, with or without superseded answers. */
  readonly transfers: number;
  /** One for each transfer with superseded answers: a JSON object on one line (`ArchivedTransfer`). */
  readonly lines: readonly string[];
  /** Number of answers in `lines`. */
  readonly answers: number;
  /** Null: this was the last page. */
  readonly next: ArchivePlace | null;
}

/** Superseded answers of the transfers in the span, by time of their end. */
export async function supersededAnswers(
  { database }: JournalContext,
  {
    endedFrom,
    endedBefore,
    after,
    limit,
  }: ArchiveSpan & { readonly after: ArchivePlace | null; readonly limit: number },
): Promise<ArchivePage> {
  const rows = await database.run<{
    origin_id: string;
    ended_at: string;
    answers: number;
    line: string | null;
  }>({ name: 'superseded-answers', text: exportText, replan: true }, [
    ...[endedFrom, endedBefore, after?.endedAt ?? null, after?.originId ?? '0', limit],
  ]);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    transfers: rows.length,
    lines: rows.flatMap(({ line }) => line ?? []),
    answers: rows.reduce((sum, { answers }) => sum + answers, 0),
    next: last === undefined ? null : { endedAt: last.ended_at, originId: last.origin_id },
  };
}

const recordText = `
with recorded as (
  insert into giro.archive (sha256, ended_from, ended_before, transfers, answers, operator)
  values ($1, coalesce($2::timestamptz, '-infinity'), $3, $4, $5, $6)
  on conflict (sha256) do nothing
)
insert into giro.audit (action, subject, operator, reason, details)
values ('archive prune', $1, $6, $7, jsonb_build_object('endedBefore', $3::timestamptz, 'answers', $5::bigint))`;

/** Records an archive, once, so that its answers may be deleted. Each call writes a row into the audit trail. */
export async function recordArchive(
  { database }: JournalContext,
  {
    sha256,
    endedFrom,
    endedBefore,
    transfers,
    answers,
    operator,
    reason,
  }: NewArchive & { readonly reason: string },
): Promise<void> {
  await database.run({ name: 'record-archive', text: recordText }, [
    ...[sha256, endedFrom, endedBefore, transfers, answers, operator, reason],
  ]);
}

/** SQL: `held` has a row for each answer in the lines `$1`. */
const HELD = `
held as (
  select (l.line::jsonb ->> 'originId')::bigint as origin_id, (x ->> 'number')::integer as number,
    (x ->> 'recordId')::bigint as record_id, (x ->> 'recordedAt')::timestamptz as recorded_at,
    x ->> 'digest' as digest, x -> 'answer' as answer
  from unnest($1::text[]) l (line) cross join lateral jsonb_array_elements(l.line::jsonb -> 'answers') x
)`;

/** An array, so that PostgreSQL uses the index: the planner expects far more rows from a JSON array than it has. */
const OF_THESE = 'a.origin_id = any(array(select origin_id from held))';

const compareText = `
with ${HELD}, ended as (
  select (l.line::jsonb ->> 'originId')::bigint as origin_id, l.line::jsonb ->> 'orderSha256' as order_sha256,
    (l.line::jsonb ->> 'endedAt')::timestamptz as ended_at
  from unnest($1::text[]) l (line)
)
select min(found.origin_id)::text as differs from (
  select n.origin_id from ended n left join giro.transfer t using (origin_id) left join giro.result e using (origin_id)
  where t.order_sha256 is distinct from n.order_sha256 or e.recorded_at is distinct from n.ended_at
    or n.ended_at < coalesce($2::timestamptz, '-infinity') or n.ended_at >= $3::timestamptz
  union all
  select h.origin_id from held h join giro.answer a using (origin_id, number)
  where ${OF_THESE}
    and (a.record_id, a.recorded_at, a.digest, giro.answer_json(a)) <> (h.record_id, h.recorded_at, h.digest, h.answer)
) found`;

/**
 * Compares lines of an archive with the journal. Each transfer must have the line's order and end, the end must be in
 * the span, and the answers that still exist must be equal. Returns the first originId that differs; null: none.
 */
export async function differingLine(
  { database }: JournalContext,
  { endedFrom, endedBefore, lines }: ArchiveSpan & { readonly lines: readonly string[] },
): Promise<string | null> {
  const [row] = await database.run<{ differs: string | null }>(
    { name: 'compare-archived', text: compareText, replan: true },
    [lines, endedFrom, endedBefore],
  );
  return row?.differs ?? null;
}

const deleteText = `
with ${HELD}, left_over as (
  select a.origin_id, a.number, giro.is_superseded(a) as may_go
  from held h join giro.answer a using (origin_id, number)
  where ${OF_THESE}
    and (a.record_id, a.recorded_at, a.digest, giro.answer_json(a)) = (h.record_id, h.recorded_at, h.digest, h.answer)
), gone as (
  delete from giro.answer a using left_over o
  where ${OF_THESE} and a.origin_id = o.origin_id and a.number = o.number and o.may_go
  returning 1
)
select (select count(*) from gone)::integer as deleted,
  (select count(*) from left_over where not may_go)::integer as kept`;

/**
 * Deletes the answers in these lines of a recorded archive, and skips answers that are already deleted. `kept`: number
 * of answers that are needed again, because something was recorded about their transfers after the export.
 */
export async function deleteArchived(
  { database }: JournalContext,
  lines: readonly string[],
): Promise<{ readonly deleted: number; readonly kept: number }> {
  const [row] = await database.run<{ deleted: number; kept: number }>(
    { name: 'delete-archived', text: deleteText, replan: true },
    [lines],
  );
  return { deleted: row?.deleted ?? 0, kept: row?.kept ?? 0 };
}
