import { JournalStatementError, JournalUnavailable } from '../journal/errors';
import type { ReportHead } from '../reconciliation/report';
import type { Logger } from '../telemetry/logger';

/** One line for each reconciliation that has ended: its counts, no ids. */
export function logReconciliation(logger: Logger): (report: ReportHead) => void {
  return ({ asOf, outcome, totals, breaksOpened, breaksResolved, notAskedCount, bySeverity }) => {
    const breaks = Object.fromEntries(Object.entries(bySeverity).map(([word, { count }]) => [word, count]));
    const line = {
      ...{ asOf, outcome, transfers: totals.transfers.count, breaks },
      ...{ breaksOpened, breaksResolved, notAsked: notAskedCount },
    };
    if (outcome === 'CLEAN') logger.info(line, 'reconciled');
    else logger.warn(line, 'reconciled');
  };
}

/** One line when a run could not delete what is no longer kept; the journal's own errors carry no values of a row. */
export function logNotForgotten(logger: Logger): (error: unknown) => void {
  return (error) => {
    const isOfJournal = error instanceof JournalUnavailable || error instanceof JournalStatementError;
    const reason = isOfJournal ? error.message : error instanceof Error ? error.name : 'unknown';
    logger.error({ reason }, 'rows older than RECONCILE_KEEP could not be deleted');
  };
}
