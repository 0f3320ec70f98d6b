import { NO_TOTALS } from '../../../src/reconciliation/control-totals';
import type { NewReport } from '../../../src/reconciliation/report';
import type { Journal } from '../../../src/journal/journal';

let nextSecond = Date.parse('2026-05-12T14:00:00Z');

/** Opens a run that compares nothing, with a new `asOf`. */
export async function openEmptyRun(journal: Journal): Promise<NewReport> {
  const asOf = new Date((nextSecond += 1_000)).toISOString().replace('.000', '');
  await journal.openRun({ ...{ asOf, from: asOf, to: asOf, isDefault: false, statementId: null } });
  return {
    ...{ asOf, from: asOf, to: asOf, outcome: 'CLEAN', totals: NO_TOTALS, byClass: {}, bySeverity: {} },
    ...{ breaksOpened: 0, breaksResolved: 0, notAskedCount: 0, notAsked: [] },
  };
}

/** Records a report, which is a link of the chain. */
export async function recordReport(journal: Journal) {
  const report = await openEmptyRun(journal);
  const link = await journal.endRun(report.asOf, report);
  expect(link).not.toBeNull();
  return { ...link!, asOf: report.asOf };
}
