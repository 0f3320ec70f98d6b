import { NO_TOTALS } from '../../reconciliation/control-totals';
import { orphanOfLine } from '../../reconciliation/orphans';
import type { OrdinalLine } from '../../reconciliation/port';
import { phaseAfter } from '../../reconciliation/run-cursor';
import type { Cursor } from '../../reconciliation/run-cursor';
import { matchLines } from '../../reconciliation/statement/match-lines';
import { suggestFor, suggestionWindow } from '../../reconciliation/statement/suggest';
import type { Candidate } from '../../reconciliation/statement/suggest';
import type { ReconciliationContext } from './context';
import type { StepFindings, StepWork } from './step-work';

const LINES = 1_000;
const ORPHANS = 200;
/** Suggestions are for people: of a page whose time has more transfers than this the first are looked at. */
const CANDIDATES_MAX = 10_000;

const NOTHING = {
  ...{ totals: NO_TOTALS, found: [], known: [], looks: [], notAsked: [] },
  booksFor: () => null,
} as const satisfies Omit<StepFindings, 'next'>;

/** Which line belongs to which transfer: before transfers are looked at, because those with a line are among them. */
export async function linesStep(
  { journal }: ReconciliationContext,
  { window, cursor }: StepWork,
): Promise<StepFindings> {
  const { asOf, statementId } = window;
  if (statementId === null) return { ...NOTHING, next: phaseAfter('lines', false) };
  const lines = await journal.statementPage({ statementId, after: cursor.after, limit: LINES });
  const { matched } = matchLines(lines, await journal.transfersOfLines(lines));
  await journal.recordMatches(
    asOf,
    matched.map(({ originId, line }) => ({ line: line.line, originId })),
  );
  return { ...NOTHING, next: nextOf('lines', lines, LINES) };
}

/** Debits of the statement that nobody ordered. */
export async function statementStep(
  { journal }: ReconciliationContext,
  { window, cursor }: StepWork,
): Promise<StepFindings> {
  const { asOf, statementId } = window;
  const statement = statementId === null ? null : await journal.statement(statementId);
  if (statementId === null || statement === null) return { ...NOTHING, next: null };
  const lines = await journal.unmatchedDebits({
    ...{ asOf, statementId, after: cursor.after, limit: ORPHANS },
  });
  const candidates = await candidatesFor(journal, asOf, statementId, lines);
  const found = lines.map((line) =>
    orphanOfLine(line, statement.sha256, line.ordinal, suggestFor(line, candidates)),
  );
  return {
    ...NOTHING,
    found,
    known: await journal.knownBreaks({ keys: found.map(({ key }) => key), originIds: [] }),
    next: nextOf('statement', lines, ORPHANS),
  };
}

async function candidatesFor(
  journal: ReconciliationContext['journal'],
  asOf: string,
  statementId: number,
  lines: readonly OrdinalLine[],
): Promise<readonly Candidate[]> {
  const windows = lines.map(({ bookedAt }) => suggestionWindow(bookedAt));
  const from = windows.map((one) => one.from).sort()[0];
  const to = windows
    .map((one) => one.to)
    .sort()
    .at(-1);
  if (from === undefined || to === undefined) return [];
  const transfers = await journal.suggestible({ from, to, limit: CANDIDATES_MAX });
  const named = await journal.linesOf(
    asOf,
    statementId,
    transfers.map(({ originId }) => originId),
  );
  const taken = new Set(named.map(({ originId }) => originId));
  return transfers
    .filter(({ originId }) => !taken.has(originId))
    .map(({ originId, order, openedAt }) => ({
      ...{ originId, openedAt, to: order.to.address },
      amount: { currency: order.body.currencyId, value: order.body.amount },
    }));
}

function nextOf(phase: Cursor['phase'], lines: readonly OrdinalLine[], limit: number): Cursor | null {
  return lines.length < limit
    ? phaseAfter(phase, true)
    : { phase, after: lines.at(-1)?.line ?? 0, token: null };
}
