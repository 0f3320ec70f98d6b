import type { BankObservation, BookedTransfer, RunState, StatementLine } from '../../reconciliation/books';
import type { FoundBreak } from '../../reconciliation/break';
import { compare, isConfirmed } from '../../reconciliation/compare';
import { NO_TOTALS, addToTotals } from '../../reconciliation/control-totals';
import type { CheckedTransfer } from '../../journal/statements/reconciliation-runs';
import type { NotAsked } from '../../reconciliation/report';
import { isOverdue, notAskedOf, sourcesChecked } from '../../reconciliation/sources-checked';
import { phaseAfter } from '../../reconciliation/run-cursor';
import { observeStatement } from '../../reconciliation/statement/observe-statement';
import { inParallel } from '../in-parallel';
import { observeBank, observationOf } from './bank-observation';
import type { ReconciliationContext, StepResult, StepWork } from './context';

const PAGE = 200;
const OBSERVED_AT_ONCE = 20;
const INQUIRIES_AT_ONCE = 10;

/** Differences that disappear after a hint to the run. */
const HINTED: ReadonlySet<string> = new Set(['FINAL_NOT_TAKEN', 'FAILED_ANSWER']);

/** Checks the next transfers of the run's list in all books. */
export async function transfersStep(context: ReconciliationContext, work: StepWork): Promise<StepResult> {
  const { journal, engine, settings } = context;
  const { window, cursor, throttle } = work;
  const { asOf, statementId } = window;
  // Before the journal is read: the inquiries of a step may take long, and what ends meanwhile is in flight.
  const readAt = new Date().toISOString();
  const page = await journal.runPage({ asOf, after: cursor.after, limit: PAGE });
  const originIds = page.map(({ originId }) => originId);
  const runs = new Map<number, RunState>();
  await inParallel(originIds, OBSERVED_AT_ONCE, async (originId) => {
    runs.set(originId, await engine.observe(originId));
  });
  const statement = statementId === null ? null : await journal.statement(statementId);
  const lines = new Map<number, StatementLine[]>();
  const unreadable = new Set<number>();
  for (const { originId, line, isReadable } of statementId === null
    ? []
    : await journal.linesOf(asOf, statementId, originIds)) {
    lines.set(originId, [...(lines.get(originId) ?? []), line]);
    if (!isReadable) unreadable.add(originId);
  }

  const { stopped: isSendingStopped } = await journal.sendingState();
  const booked = new Map<number, BookedTransfer>();
  const repairs: (() => Promise<void>)[] = [];
  await inParallel(page, INQUIRIES_AT_ONCE, async (transfer) => {
    const { originId, entry, order } = transfer;
    const run = runs.get(originId) ?? { kind: 'unknown' };
    const bank = await bankObservationOf(context, { throttle, asOf, isSendingStopped }, transfer, run);
    booked.set(originId, {
      ...{ originId, entry, bank, run },
      statement:
        statement === null || entry === null
          ? null
          : observeStatement(statement, entry, lines.get(originId) ?? []),
      sameMovementId: transfer.sameMovementId,
      sameNetworkId: transfer.sameNetworkId,
    });
    const isLost = entry?.result === null && (run.kind === 'missing' || run.kind === 'closed');
    if (isLost && order !== null) repairs.push(() => engine.restart(originId, order));
  });

  const compareContext = {
    asOf,
    readAt,
    attentionAfterActiveMs: settings.attentionAfterActiveMs,
    attentionAfterDelayedMs: settings.attentionAfterDelayedMs,
  };
  const found: FoundBreak[] = [];
  const checked: CheckedTransfer[] = [];
  const notAsked: NotAsked[] = [];
  let totals = NO_TOTALS;
  for (const transfer of page) {
    const { originId, entry } = transfer;
    const one = booked.get(originId);
    if (one === undefined) throw new Error(`reconciliation: transfer ${originId} could not be checked`);
    // Without order and amount, the transfer can be neither compared nor summed.
    if (entry === null) notAsked.push({ originId, book: 'journal', reason: 'ORDER_UNREADABLE' });
    else totals = addToTotals(totals, one);
    const differences = entry === null ? [] : compare(one, compareContext);
    found.push(...differences);
    notAsked.push(...notAskedOf(one));
    if (unreadable.has(originId)) notAsked.push({ originId, book: 'statement', reason: 'LINE_UNREADABLE' });
    checked.push(toChecked(one, differences));
    if (isToBeHinted(one, differences)) {
      repairs.push(() => engine.hint(originId, `reconciliation-${asOf}-${originId}`));
    }
  }
  await inParallel(repairs, OBSERVED_AT_ONCE, (repair) => repair());
  return {
    ...{ totals, found, checked, notAsked },
    known: await journal.knownBreaks({ keys: found.map(({ key }) => key), originIds }),
    booksFor: (known) => {
      const one = known.originId === null ? undefined : booked.get(known.originId);
      return one === undefined || one.entry === null ? null : sourcesChecked(one, known);
    },
    next:
      page.length < PAGE
        ? phaseAfter('transfers', statementId !== null)
        : { phase: 'transfers', after: originIds.at(-1) ?? 0, token: null },
  };
}

/** The bank is not asked about an ended transfer whose recorded answer is enough (`needsNoInquiry`). */
function bankObservationOf(
  ...observed: Parameters<typeof observeBank>
): ReturnType<typeof observeBank> | BankObservation {
  const [, , { needsNoInquiry, recorded, entry }] = observed;
  const isKnown = needsNoInquiry && recorded !== null && entry?.result != null;
  return isKnown ? observationOf(recorded.answer, 'recorded', recorded.at) : observeBank(...observed);
}

function isToBeHinted({ bank, run, entry }: BookedTransfer, found: readonly FoundBreak[]): boolean {
  if (entry?.result !== null || run.kind !== 'open') return false;
  return isOverdue(bank) || found.some(({ subCase }) => HINTED.has(subCase));
}

function toChecked(one: BookedTransfer, found: readonly FoundBreak[]): CheckedTransfer {
  const { originId, bank } = one;
  switch (bank.kind) {
    case 'not-recorded':
    case 'not-asked':
      return { originId, source: 'not-asked', evidenceSha256: null, confirmed: false };
    case 'no-answer':
      return { originId, source: 'asked', evidenceSha256: null, confirmed: false };
    case 'movement':
    case 'not-found':
      return {
        ...{ originId, source: bank.source },
        evidenceSha256: bank.kind === 'movement' ? bank.movement.evidenceSha256 : null,
        confirmed: bank.source === 'asked' && isConfirmed(one, found),
      };
  }
}
