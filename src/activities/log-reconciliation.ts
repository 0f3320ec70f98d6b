import type { ReportHead } from '../reconciliation/port';
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
