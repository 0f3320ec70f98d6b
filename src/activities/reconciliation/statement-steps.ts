import type { Book } from '../../reconciliation/books';
import { NO_TOTALS } from '../../reconciliation/control-totals';
import { isBreakOf, toReport } from '../../reconciliation/known-orphans';
import { idsOfLine, orphanKeys, orphanOfLine } from '../../reconciliation/orphans';
import type { ReportedOrphan } from '../../reconciliation/orphans';
import type { KnownBreak } from '../../reconciliation/break-life';
import type { OrdinalLine, SuggestibleTransfer } from '../../journal/statements/bank-statements';
import { phaseAfter } from '../../reconciliation/run-cursor';
import { matchLines } from '../../reconciliation/statement/match-lines';
import { suggestFor } from '../../reconciliation/statement/suggest';
import type { Candidate } from '../../reconciliation/statement/suggest';
import type { ReconciliationContext, StepResult, StepWork } from './context';

const LINES = 1_000;
const ORPHANS = 200;
const TRANSFERS = 10_000;
/** Cursor: all lines are matched, and the transfers of the statement's period are listed up to here. */
const TIME = 'time ';
const STATEMENT: ReadonlySet<Book> = new Set(['statement']);

const NOTHING = {
  ...{ totals: NO_TOTALS, found: [], known: [], checked: [], notAsked: [] },
  booksFor: () => null,
} as const satisfies Omit<StepResult, 'next'>;

/**
 * Matches lines to transfers. Runs before the transfers are checked, because it adds the transfers that have a line to
 * the run's list.
 */
export async function linesStep(
  { journal }: ReconciliationContext,
  { window, cursor }: StepWork,
): Promise<StepResult> {
  const { asOf, statementId } = window;
  if (statementId === null) return { ...NOTHING, next: phaseAfter('lines', false) };
  if (cursor.token !== null) return timeStep(journal, asOf, statementId, cursor.token);
  const lines = await journal.statementPage({ statementId, after: cursor.after, limit: LINES });
  const { matched } = matchLines(lines, await journal.transfersOfLines(lines));
  await journal.recordMatches(
    asOf,
    matched.map(({ originId, line }) => ({ line: line.line, originId })),
  );
  const somebodys = new Set(matched.map(({ line }) => line.line));
  return {
    ...NOTHING,
    known: await ordered(
      journal,
      lines.filter(({ line }) => somebodys.has(line)),
    ),
    booksFor: () => STATEMENT,
    next:
      lines.length < LINES
        ? { phase: 'lines', after: 0, token: TIME }
        : { phase: 'lines', after: lines.at(-1)?.line ?? 0, token: null },
  };
}

/**
 * The second part of `linesStep`: lists the transfers that should have a line. Their check shows whether they have one.
 */
async function timeStep(
  journal: ReconciliationContext['journal'],
  asOf: string,
  statementId: number,
  token: string,
): Promise<StepResult> {
  const [, originId, openedAt] = /^time (?:([0-9]+) (.+))?$/.exec(token) ?? [];
  const next = await journal.listTimeOfStatement({
    ...{ asOf, statementId, limit: TRANSFERS },
    after: openedAt === undefined || originId === undefined ? null : { openedAt, originId: Number(originId) },
  });
  if (next === null) return { ...NOTHING, next: phaseAfter('lines', true) };
  return {
    ...NOTHING,
    next: { phase: 'lines', after: 0, token: `${TIME}${next.originId} ${next.openedAt}` },
  };
}

/** Breaks of debits that an earlier statement showed without a transfer, and that a transfer explains now. */
async function ordered(
  journal: ReconciliationContext['journal'],
  lines: readonly OrdinalLine[],
): Promise<readonly KnownBreak[]> {
  const debits = lines
    .filter(({ direction }) => direction === 'debit')
    .map(({ ordinal, ...line }) =>
      orphanOfLine({ line, ordinal, sha256: '', isReadable: true, suggested: [], notified: [] }),
    );
  const places = new Map<string, ReportedOrphan[]>();
  for (const one of debits) {
    for (const key of one.keys) places.set(key, [...(places.get(key) ?? []), one]);
  }
  const known =
    debits.length === 0 ? [] : await journal.knownBreaks({ keys: [...places.keys()], originIds: [] });
  return known.filter(
    ({ break: one }) =>
      one.book === 'statement' &&
      one.state !== 'resolved' &&
      places.get(one.key)?.some((debit) => isBreakOf(one, debit)) === true,
  );
}

/** Reports debits of the statement that nobody ordered. */
export async function statementStep(
  { journal }: ReconciliationContext,
  { window, cursor }: StepWork,
): Promise<StepResult> {
  const { asOf, statementId } = window;
  const statement = statementId === null ? null : await journal.statement(statementId);
  if (statementId === null || statement === null) return { ...NOTHING, next: null };
  const lines = await journal.unmatchedDebits({
    ...{ asOf, statementId, after: cursor.after, limit: ORPHANS },
  });
  const candidates = (await journal.suggestible({ asOf, lines })).map(toCandidate);
  const ids = lines.map(idsOfLine);
  const notified = await journal.orphanDebitsOf({
    originIds: ids.flatMap((one) => one.originIds),
    movementIds: ids.flatMap((one) => one.movementIds),
    networkIds: ids.flatMap((one) => one.networkIds),
  });
  const reported = lines.map(({ ordinal, isReadable, ...line }) =>
    orphanOfLine({
      ...{ line, ordinal, isReadable, notified, sha256: statement.sha256 },
      suggested: suggestFor(line, candidates),
    }),
  );
  const known = await journal.knownBreaks({
    // Notifications may have reported the same debit with other ids.
    keys: reported.flatMap(({ keys, ids: all }) => [...keys, ...all.flatMap(orphanKeys)]),
    originIds: [],
  });
  return {
    ...NOTHING,
    ...toReport(reported, known),
    next:
      lines.length < ORPHANS
        ? phaseAfter('statement', true)
        : { phase: 'statement', after: lines.at(-1)?.line ?? 0, token: null },
  };
}

const toCandidate = ({ originId, order, openedAt }: SuggestibleTransfer): Candidate => ({
  ...{ originId, openedAt, from: order.from.address, to: order.to.address },
  amount: { currency: order.body.currencyId, value: order.body.amount },
});
