import type { JournalContext } from '../context';

export interface HintGrant {
  readonly workflowId: string;
  readonly granted: boolean;
  /** By the journal's clock, for `confirmHints`; null when not granted. */
  readonly grantedAt: string | null;
  /** Time until a hint can be granted again; 0: granted now. */
  readonly waitMs: number;
  /** Grant time of the latest hint that Temporal accepted; it also serves notifications that were received before. */
  readonly deliveredAtUs: number | null;
}

export interface TakenHint {
  readonly workflowId: string;
  /** The time of its grant: notifications received before are served. */
  readonly grantedAt: string;
}

/** `h` is the row before the update; rows are locked in one order, so that two callers cannot deadlock. */
const grantText = `
with wanted as (
  select w.workflow_id from unnest($1::text[]) as w (workflow_id)
), granted as (
  insert into giro.hint as g (workflow_id, granted_at)
  select w.workflow_id, clock_timestamp() from wanted w order by w.workflow_id
  on conflict (workflow_id) do update set granted_at = excluded.granted_at
    where g.granted_at <= clock_timestamp() - make_interval(secs => $2::double precision / 1000)
  returning g.workflow_id, g.granted_at
)
select w.workflow_id, n.workflow_id is not null as granted, n.granted_at::text as granted_at,
  extract(epoch from h.delivered_at) * 1000000 as delivered_us,
  greatest(0, ceil($2::double precision - extract(epoch from clock_timestamp() - h.granted_at) * 1000))::float8 as wait_ms
from wanted w
left join granted n using (workflow_id)
left join giro.hint h using (workflow_id)`;

interface Row {
  readonly workflow_id: string;
  readonly granted: boolean;
  readonly granted_at: string | null;
  readonly delivered_us: string | null;
  readonly wait_ms: number | null;
}

/**
 * Asks for permission to hint each of these workflows. All callers together get it once in `gapMs` for each workflow.
 * Workflow ids must not repeat.
 */
export async function grantHints(
  { database }: JournalContext,
  workflowIds: readonly string[],
  gapMs: number,
): Promise<readonly HintGrant[]> {
  if (workflowIds.length === 0) return [];
  const rows = await database.run<Row>({ name: 'grant-hints', text: grantText }, [workflowIds, gapMs]);
  return rows.map(({ workflow_id, granted, granted_at, delivered_us, wait_ms }) => ({
    workflowId: workflow_id,
    granted,
    grantedAt: granted_at,
    // No row before and not granted: another caller has just got the permission.
    waitMs: granted ? 0 : (wait_ms ?? gapMs),
    deliveredAtUs: delivered_us === null ? null : Number(delivered_us),
  }));
}

/**
 * The gap starts anew only while this grant is the latest: another caller's hint has its own gap. Rows are locked in
 * the order of `grantText`.
 */
const confirmText = `
with taken as (
  select * from unnest($1::text[], $2::timestamptz[]) as t (workflow_id, granted_at)
), locked as (
  select h.workflow_id from giro.hint h where h.workflow_id in (select t.workflow_id from taken t)
  order by h.workflow_id for update
)
update giro.hint h
set delivered_at = greatest(h.delivered_at, t.granted_at),
  granted_at = case when h.granted_at = t.granted_at then clock_timestamp() else h.granted_at end
from taken t join locked using (workflow_id)
where h.workflow_id = t.workflow_id`;

/** Records that Temporal has accepted these hints; the gap to the next hints starts now. */
export async function confirmHints({ database }: JournalContext, taken: readonly TakenHint[]): Promise<void> {
  if (taken.length === 0) return;
  await database.run({ name: 'confirm-hints', text: confirmText }, [
    taken.map(({ workflowId }) => workflowId),
    taken.map(({ grantedAt }) => grantedAt),
  ]);
}
