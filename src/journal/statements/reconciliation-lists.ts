import type { NotAsked, NotAskedPage, Outcome, NewReport } from '../../reconciliation/report';
import { toSecond } from '../../reconciliation/run-window';
import type { JournalContext } from '../context';
import { toIso, toIsoOrNull, toOriginId } from '../rows';
import type { ReconciliationRow } from '../rows';
import { RUN_COUNTS } from './reconciliation-runs';

/** A run in a list. Times are ISO UTC. */
export interface RunSummary {
  readonly asOf: string;
  readonly from: string;
  readonly to: string;
  /** `UNFINISHED`: without a report, because the run is in progress or was stopped. */
  readonly state: Outcome | 'UNFINISHED';
  /** Transfers that the run must check, and those that it has checked so far. */
  readonly transfers: number;
  readonly checked: number;
  /** Unresolved breaks, as the run left them. Null, like the other counts: the run has no report. */
  readonly breaks: number | null;
  readonly breaksOpened: number | null;
  readonly breaksResolved: number | null;
  readonly notAsked: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** Two steps of a run may both have failed to check a transfer: it is listed once. */
const notAskedText = `
select distinct on (n.origin_id, n.book) n.origin_id, n.book, n.reason from giro.not_asked n
where n.as_of = $1 and (n.origin_id, n.book) > ($2::bigint, $3::text)
order by n.origin_id, n.book, n.step limit $4::integer`;

interface NotAskedRow {
  readonly origin_id: string;
  readonly book: NotAsked['book'];
  readonly reason: NotAsked['reason'];
}

/** What a run could not check so far, by originId and book. */
export async function notAsked(
  { database }: JournalContext,
  { asOf, after, limit }: NotAskedPage,
): Promise<readonly NotAsked[]> {
  const rows = await database.run<NotAskedRow>({ name: 'not-asked', text: notAskedText }, [
    ...[asOf, after?.originId ?? 0, after?.book ?? '', limit],
  ]);
  return rows.map(({ origin_id, book, reason }) => ({ originId: toOriginId(origin_id), book, reason }));
}

const runsText = `
select r.as_of, r.from_at, r.to_at, r.started_at, e.recorded_at as ended_at, e.report, c.listed, c.checked
from giro.reconciliation r left join giro.reconciliation_end e using (as_of)
left join lateral (${RUN_COUNTS}) c on e.as_of is null
order by r.as_of desc limit $1::integer`;

interface RunRow extends Omit<ReconciliationRow, 'is_default_window' | 'statement_id'> {
  readonly ended_at: Date | null;
  readonly report: NewReport | null;
  /** Both null once the run has ended. */
  readonly listed: number | null;
  readonly checked: number | null;
}

/** Runs, latest `asOf` first. */
export async function reconciliations(
  { database }: JournalContext,
  { limit }: { readonly limit: number },
): Promise<readonly RunSummary[]> {
  const rows = await database.run<RunRow>({ name: 'reconciliations', text: runsText }, [limit]);
  return rows.map((row) => ({
    asOf: toSecond(row.as_of.getTime()),
    from: toSecond(row.from_at.getTime()),
    to: toSecond(row.to_at.getTime()),
    startedAt: toIso(row.started_at),
    endedAt: toIsoOrNull(row.ended_at),
    ...(row.report === null
      ? { ...UNFINISHED, transfers: row.listed ?? 0, checked: row.checked ?? 0 }
      : countsOf(row.report)),
  }));
}

const UNFINISHED = {
  state: 'UNFINISHED',
  ...{ breaks: null, breaksOpened: null, breaksResolved: null, notAsked: null },
} as const;

function countsOf(report: NewReport) {
  const { outcome, totals, byClass, breaksOpened, breaksResolved, notAskedCount } = report;
  return {
    ...{ state: outcome, breaksOpened, breaksResolved, notAsked: notAskedCount },
    transfers: totals.transfers.count,
    checked: totals.transfers.count,
    breaks: Object.values(byClass).reduce((total, { count }) => total + count, 0),
  };
}
