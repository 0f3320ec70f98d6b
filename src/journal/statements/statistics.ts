import type { AttentionReason } from '../../domain/transfer/flags';
import type { Outcome } from '../../reconciliation/report';
import type { JournalContext } from '../context';

/** Age limits (s) by which open transfers are counted: a minute, a quarter of an hour, an hour, a day, a week. */
export const OPEN_AGES_S = [60, 900, 3_600, 86_400, 604_800] as const;

/**
 * The states of open transfers. A transfer counts under its bank status, or under `other` if the status is not in the
 * bank's reference. Without a bank status it counts under its stage, or under `held` if it is held before its first
 * send.
 */
export const OPEN_STATES = [
  'sending',
  'held',
  'looking-up',
  'polling',
  'CREATED',
  'IN_PROGRESS',
  'DELAYED',
  'COMPLETED',
  'FAILED',
  'other',
] as const;
export type OpenState = (typeof OPEN_STATES)[number];

/** Statistics of the books; an absent state, reason or age counts zero. */
export interface JournalStatistics {
  /** When the journal computed them, Unix time (s). */
  readonly takenAtS: number;
  readonly open: Readonly<Partial<Record<OpenState, number>>>;
  /** For each age of `OPEN_AGES_S`: the number of open transfers that are older. */
  readonly olderThanS: Readonly<Record<string, number>>;
  /** Open transfers by open flag; a transfer with two flags counts under both. */
  readonly flagged: Readonly<Partial<Record<AttentionReason, number>>>;
  readonly openVerifications: number;
  /** Verifications in tracking that have an open flag. */
  readonly flaggedVerifications: number;
  /** Contradicted finals that nobody has acknowledged. */
  readonly openIncidents: number;
  /** Breaks that are open or acknowledged, by class. */
  readonly openBreaks: Readonly<Record<string, number>>;
  /** `asOf` of the latest reconciliation of the default window with this outcome, Unix time; absent: none yet. */
  readonly reconciledAtS: Readonly<Partial<Record<Outcome, number>>>;
  readonly sendingStopped: boolean;
}

/**
 * Shorter than usual scrape intervals, so that each scrape gets statistics of its own interval. Statistics that are
 * further ahead of the clock are out of date too: the clock was set back, or a standby with another clock took over.
 */
const GOOD_FOR = "interval '5 s'";

/**
 * The state of a group. Bank statuses are in capitals and stages are not, so no status can be mistaken for a stage. A
 * transfer that is held after a send counts under its status or stage: its look-ups continue, and its flag is counted.
 */
const STATE = `case when o.shown in (${OPEN_STATES.map((state) => `'${state}'`).join(', ')}) then o.shown else 'other' end`;

// The subquery computes each limit once, not for each row.
const OLDER_COLUMNS = OPEN_AGES_S.map(
  (age) =>
    `count(*) filter (where o.opened_at < (select statement_timestamp() - interval '${age} s')) as older_${age}`,
).join(', ');
const OLDER = OPEN_AGES_S.map((age) => `'${age}', coalesce(sum(o.older_${age}), 0)`).join(', ');

/**
 * Reads only what is open. The first caller that finds the stored row out of date computes it anew; meanwhile other
 * callers get the stored row.
 */
const text = `
with due as (
  select from giro.statistics f
  where f.taken_at not between clock_timestamp() - ${GOOD_FOR} and clock_timestamp() + ${GOOD_FOR}
  for update skip locked
), open as (
  select coalesce(o.bank_status, case when o.stage = 'sending' then o.status else o.stage end) as shown,
    count(*) as count, ${OLDER_COLUMNS}
  from due join giro.open_transfer o on true group by 1
), fresh as (
  update giro.statistics f set counts = jsonb_build_object(
    'open', (select coalesce(jsonb_object_agg(s.state, s.count), '{}')
      from (select ${STATE} as state, sum(o.count) as count from open o group by 1) s),
    'olderThanS', (select jsonb_build_object(${OLDER}) from open o),
    'flagged', (select coalesce(jsonb_object_agg(s.reason, s.count), '{}')
      from (
        select r.reason, count(*) from giro.flagged_transfer f join giro.open_transfer o using (origin_id)
        cross join unnest(f.reasons) r (reason) group by r.reason
      ) s),
    'openVerifications', (select count(*) from giro.open_verification),
    'flaggedVerifications', (select count(*) from giro.open_verification v where cardinality((
      select f.reasons from giro.verification_flags f where f.request_id = v.request_id order by f.seq desc limit 1
    )) > 0),
    'openIncidents', (select count(*) from giro.inquiry_answer i where i.incident_id is not null
      and not exists (select from giro.incident_acknowledgement k where k.incident_id = i.incident_id)),
    'openBreaks', (select coalesce(jsonb_object_agg(s.class, s.count), '{}')
      from (select b.class, count(*) from giro.break b where b.state <> 'resolved' group by b.class) s),
    'reconciledAtS', (select coalesce(jsonb_object_agg(s.outcome, s.as_of), '{}') from (
      select e.outcome, extract(epoch from max(r.as_of)) as as_of
      from giro.reconciliation_end e join giro.reconciliation r using (as_of)
      where r.is_default_window group by e.outcome
    ) s),
    'sendingStopped', coalesce((select s.stopped from giro.sending s order by s.record_id desc limit 1), false)
  )
  from due
  returning f.taken_at, f.counts
)
select extract(epoch from x.taken_at)::float8 as taken_at_s, x.counts
from (select true as is_fresh, * from fresh union all select false, f.taken_at, f.counts from giro.statistics f) x
order by x.is_fresh desc limit 1`;

interface Row {
  readonly taken_at_s: number;
  readonly counts: Omit<JournalStatistics, 'takenAtS'>;
}

/**
 * At most some seconds old, and computed once for all callers.
 *
 * @throws Error another caller is still computing the first statistics
 */
export async function statistics({ database }: JournalContext): Promise<JournalStatistics> {
  const [row] = await database.run<Row>({ name: 'statistics', text, replan: true }, []);
  if (row === undefined || !Number.isFinite(row.taken_at_s))
    throw new Error('the journal has no statistics yet');
  return { takenAtS: row.taken_at_s, ...row.counts };
}
