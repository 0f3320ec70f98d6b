import { JournalStatementError, JournalUnavailable } from '../journal/errors';
import type { ReportHead } from '../reconciliation/report';
import type { Logger } from '../telemetry/logger';

/** Logs a line for each ended reconciliation: counts and the head of the chain, no ids. */
export function logReconciliation(logger: Logger): (report: ReportHead) => void {
  return ({ asOf, outcome, totals, breaksOpened, breaksResolved, notAskedCount, bySeverity, chain }) => {
    const breaks = Object.fromEntries(Object.entries(bySeverity).map(([word, { count }]) => [word, count]));
    const line = {
      ...{ asOf, outcome, transfers: totals.transfers.count, breaks },
      ...{ breaksOpened, breaksResolved, notAsked: notAskedCount },
      ...(chain === null ? {} : { link: chain.sequence, cursor: chain.cursor, sha256: chain.sha256 }),
    };
    if (outcome === 'CLEAN') logger.info(line, 'reconciled');
    else logger.warn(line, 'reconciled');
  };
}

/** Logs a line when a run could not delete old details. Errors of the journal contain no values of a row. */
export function logNotForgotten(logger: Logger): (error: unknown) => void {
  return (error) => {
    const isOfJournal = error instanceof JournalUnavailable || error instanceof JournalStatementError;
    const reason = isOfJournal ? error.message : error instanceof Error ? error.name : 'unknown';
    logger.error({ reason }, 'rows older than RECONCILE_KEEP could not be deleted');
  };
}
