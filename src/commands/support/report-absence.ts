import type { ReconciliationJournal } from '../../reconciliation/port';

/** Why there is no report as of a moment. */
export async function reportAbsence(
  journal: Pick<ReconciliationJournal, 'runProgress' | 'forgottenRun'>,
  asOf: string,
): Promise<string> {
  const head = await journal.forgottenRun(asOf);
  if (head !== null) {
    const { outcome, breaksOpened, breaksResolved } = head;
    return (
      `what the reconciliation as of ${asOf} saw is no longer kept (RECONCILE_KEEP): it ended as ${outcome}, ` +
      `${breaksOpened} opened, ${breaksResolved} resolved; \`reconcile breaks\` has the breaks`
    );
  }
  const progress = await journal.runProgress(asOf);
  return progress === null
    ? `there is no reconciliation as of ${asOf}`
    : `the reconciliation as of ${asOf} is under way: ${progress.checked} of ${progress.total} transfers`;
}
