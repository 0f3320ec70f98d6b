import type { Book } from '../../reconciliation/books';
import { NO_TOTALS } from '../../reconciliation/control-totals';
import { orphanOfNotification } from '../../reconciliation/orphans';
import { phaseAfter } from '../../reconciliation/run-cursor';
import type { ReconciliationContext } from './context';
import type { StepFindings, StepWork } from './step-work';

const NOTIFICATIONS: ReadonlySet<Book> = new Set(['notifications']);

/** Debits that notifications told of and that nobody ordered. */
export async function orphansStep(
  { journal }: ReconciliationContext,
  { window }: StepWork,
): Promise<StepFindings> {
  const { from, to, isDefault, statementId } = window;
  const orphans = await journal.orphanDebits({ since: isDefault ? null : from });
  const beforeMs = Date.parse(to) + 1_000;
  const found = orphans
    .filter(({ receivedAt }) => Date.parse(receivedAt) < beforeMs)
    .map(orphanOfNotification);
  const outside = isDefault ? await journal.unresolvedOutside() : [];
  const byKey = await journal.knownBreaks({ keys: found.map(({ key }) => key), originIds: [] });
  const known = [...byKey, ...outside.filter(({ break: one }) => one.class === 'ORPHAN_AT_BANK')];
  return {
    totals: NO_TOTALS,
    found,
    known: [...new Map(known.map((one) => [one.break.key, one])).values()],
    // Only a look at all of them tells that one is gone.
    booksFor: () => (isDefault ? NOTIFICATIONS : null),
    looks: [],
    notAsked: [],
    next: phaseAfter('orphans', statementId !== null),
  };
}
