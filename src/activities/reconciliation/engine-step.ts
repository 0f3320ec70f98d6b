import type { BankObservation, BookedTransfer } from '../../reconciliation/books';
import { compare } from '../../reconciliation/compare';
import { NO_TOTALS, addToTotals } from '../../reconciliation/control-totals';
import { notAskedOf, sourcesChecked } from '../../reconciliation/sources-checked';
import { phaseAfter } from '../../reconciliation/run-cursor';
import type { Cursor } from '../../reconciliation/run-cursor';
import { inParallel } from '../in-parallel';
import { askBank, observationOf } from './bank-observation';
import type { ReconciliationContext } from './context';
import type { StepResult, StepWork } from './context';

const AT_ONCE = 10;
/** References in one step that have no transfer. Such a reference remains when a start was interrupted. */
const REFERENCES = 200;

/** originIds of earlier breaks in one step. Each needs an inquiry, and all must fit into the time of a step. */
const MISSING = 100;

/** Checks originIds of earlier breaks, which should have a transfer in the journal and had none. */
export async function missingStep(context: ReconciliationContext, work: StepWork): Promise<StepResult> {
  const { isDefault, statementId } = work.window;
  const { after } = work.cursor;
  const page = isDefault ? await context.journal.missingInJournal({ after, limit: MISSING }) : [];
  const next: Cursor | null =
    page.length < MISSING
      ? phaseAfter('missing', statementId !== null)
      : { phase: 'missing', after: page.at(-1) ?? 0, token: null };
  return { ...(await lookForEntries(context, work, page)), next };
}

/** Checks originIds of the runs that Temporal lists. */
export async function engineStep(context: ReconciliationContext, work: StepWork): Promise<StepResult> {
  const { from, to, statementId } = work.window;
  const { token: at } = work.cursor;
  const { originIds: started, token } = await context.engine.started({ from, to, token: at });
  const next: Cursor | null =
    token === null ? phaseAfter('engine', statementId !== null) : { phase: 'engine', after: 0, token };
  return { ...(await lookForEntries(context, work, await notSeen(context, work, started))), next };
}

/**
 * Checks originIds that are bound to a reference and have neither a transfer nor a run. `engineStep` checks those with
 * a run.
 */
export async function referencesStep(context: ReconciliationContext, work: StepWork): Promise<StepResult> {
  const { from, to, statementId } = work.window;
  const { after } = work.cursor;
  const bound = await context.journal.boundWithoutTransfer({ from, to, after, limit: REFERENCES });
  const runless: number[] = [];
  await inParallel(bound, AT_ONCE, async (originId) => {
    const { kind } = await context.engine.observe(originId);
    if (kind !== 'open' && kind !== 'closed') runless.push(originId);
  });
  const next: Cursor | null =
    bound.length < REFERENCES
      ? phaseAfter('references', statementId !== null)
      : { phase: 'references', after: bound.at(-1) ?? 0, token: null };
  return { ...(await lookForEntries(context, work, await notSeen(context, work, runless))), next };
}

/** Leaves out originIds that this run has counted already: `missingStep`, if it runs, checks all open breaks. */
async function notSeen(
  { journal }: ReconciliationContext,
  { window: { asOf, isDefault } }: StepWork,
  originIds: readonly number[],
): Promise<readonly number[]> {
  const known = await journal.knownBreaks({ keys: [], originIds });
  const seen = new Set(
    known.flatMap(({ break: one }) =>
      one.class === 'MISSING_IN_JOURNAL' && one.state !== 'resolved' && (isDefault || one.lastSeen === asOf)
        ? [one.originId]
        : [],
    ),
  );
  return originIds.filter((originId) => !seen.has(originId));
}

/** What Temporal and the bank know of originIds that the journal does not know. */
async function lookForEntries(
  context: ReconciliationContext,
  { window: { asOf }, throttle }: StepWork,
  originIds: readonly number[],
): Promise<Omit<StepResult, 'next'>> {
  const { journal, engine, settings } = context;
  const unknown = await journal.unknownOriginIds([...new Set(originIds)]);
  const answered = new Map(
    (await journal.inquiriesOf({ asOf, originIds: unknown })).map((one) => [one.originId, one]),
  );
  const observed = new Map<number, BookedTransfer>();
  await inParallel(unknown, AT_ONCE, async (originId) => {
    const run = await engine.observe(originId);
    const known = answered.get(originId);
    // An open run asks the bank itself, so ask only if surely no run is open.
    const asked: BankObservation | 'too-soon' =
      run.kind === 'open' || run.kind === 'unknown'
        ? { kind: 'not-asked', reason: 'NOTHING_RECORDED' }
        : known === undefined
          ? await askBank(context, throttle, { originId, asOf, lostAfter: null })
          : observationOf(known.answer, 'asked', known.at);
    const bank: BankObservation = asked === 'too-soon' ? { kind: 'not-asked', reason: 'TOO_SOON' } : asked;
    observed.set(originId, {
      ...{ originId, entry: null, bank, run, statement: null },
      sameMovementId: [],
      sameNetworkId: [],
    });
  });
  // Leave out transfers that were started meanwhile: their runs handle the movements from now on.
  const still = new Set(await journal.unknownOriginIds(unknown));
  const booked = new Map([...observed].filter(([originId]) => still.has(originId)));

  const { attentionAfterActiveMs, attentionAfterDelayedMs } = settings;
  const all = [...booked.values()].map((one) => ({
    one,
    found: compare(one, {
      ...{ asOf, attentionAfterActiveMs, attentionAfterDelayedMs },
      readAt: new Date().toISOString(),
    }),
  }));
  const found = all.flatMap((it) => it.found);
  // An unused reference is not a transfer: count only originIds that some book knows.
  const counted = all.filter((it) => it.found.length > 0);
  return {
    totals: counted.reduce((totals, { one }) => addToTotals(totals, one), NO_TOTALS),
    found,
    known: await journal.knownBreaks({ keys: found.map(({ key }) => key), originIds: [...still] }),
    booksFor: (known) => {
      const one = known.originId === null ? undefined : booked.get(known.originId);
      return one === undefined || known.class !== 'MISSING_IN_JOURNAL' ? null : sourcesChecked(one, known);
    },
    checked: [],
    notAsked: all.flatMap(({ one }) => notAskedOf(one)),
  };
}
