import type { Book } from '../../reconciliation/books';
import { NO_TOTALS } from '../../reconciliation/control-totals';
import { toReport } from '../../reconciliation/known-orphans';
import { orphanOfNotification } from '../../reconciliation/orphans';
import { phaseAfter } from '../../reconciliation/run-cursor';
import type { Cursor } from '../../reconciliation/run-cursor';
import { secondAfter } from '../../reconciliation/run-window';
import type { ReconciliationContext } from './context';
import type { StepResult, StepWork } from './context';

const PAGE = 500;
/**
 * Maximum number of unconfirmed debits in a report, the oldest first. The limit keeps forged notifications from filling a
 * report.
 */
const SUSPECTED_MAX = 100;
const NOTIFICATIONS: ReadonlySet<Book> = new Set(['notifications']);
/** Cursor: all debits are checked; the breaks that were not seen again are checked up to this key. */
const GONE = 'gone ';

const NOTHING = { totals: NO_TOTALS, found: [], checked: [], notAsked: [] } as const;

/**
 * Checks notified debits that nobody ordered, whether or not the bank has confirmed them. Then checks breaks of debits
 * that are no longer orphans.
 */
export async function orphansStep(context: ReconciliationContext, work: StepWork): Promise<StepResult> {
  const { window, cursor } = work;
  if (cursor.token !== null) return goneStep(context, work, cursor.token.slice(GONE.length));
  const { from, to, isDefault, statementId } = window;
  const times = {
    since: isDefault ? null : from,
    before: secondAfter(to),
  };
  const { debits, next } = await context.journal.orphanDebits({ ...times, after: cursor.after, limit: PAGE });
  const suspected =
    cursor.after === 0 ? await context.journal.suspectedDebits({ ...times, limit: SUSPECTED_MAX }) : [];
  const reported = [
    ...debits.map((debit) => orphanOfNotification(debit, 'NOTIFIED_DEBIT')),
    ...suspected.map((debit) => orphanOfNotification(debit, 'UNCONFIRMED_DEBIT')),
  ];
  const known = await context.journal.knownBreaks({
    keys: reported.flatMap(({ keys }) => keys),
    originIds: [],
  });
  return {
    ...NOTHING,
    ...toReport(reported, known),
    booksFor: () => null,
    next: next === null ? afterDebits(isDefault, statementId !== null) : { ...cursor, after: next },
  };
}

/** A debit is known to be gone only after all debits were checked. */
function afterDebits(isDefault: boolean, hasStatement: boolean): Cursor | null {
  return isDefault ? { phase: 'orphans', after: 0, token: GONE } : phaseAfter('orphans', hasStatement);
}

/**
 * A break that this run saw has this run's asOf as `lastSeen`. A break with an older `lastSeen` was not seen again: if
 * notifications reported its debit, the break resolves.
 */
async function goneStep(
  { journal }: ReconciliationContext,
  { window: { asOf, statementId } }: StepWork,
  after: string,
): Promise<StepResult> {
  const known = await journal.unseenOrphans({ asOf, after, limit: PAGE });
  const last = known.at(-1)?.break.key;
  return {
    ...NOTHING,
    known,
    // A debit that only a statement has shown stays open.
    booksFor: ({ book }) => (book === 'notifications' ? NOTIFICATIONS : null),
    next:
      last === undefined || known.length < PAGE
        ? phaseAfter('orphans', statementId !== null)
        : { phase: 'orphans', after: 0, token: `${GONE}${last}` },
  };
}
