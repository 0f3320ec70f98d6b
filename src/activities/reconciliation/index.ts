import { ApplicationFailure, Context } from '@temporalio/activity';
import { updateBreaks } from '../../reconciliation/update-breaks';
import { mergeTotals, NO_TOTALS } from '../../reconciliation/control-totals';
import type { BreakTallies } from '../../reconciliation/tally';
import { outcomeOf } from '../../reconciliation/sources-checked';
import type {
  ChainLink,
  ControlTotals,
  NewReport,
  NotAsked,
  Outcome,
  ReportHead,
} from '../../reconciliation/report';
import type { StepOutcome } from '../../journal/statements/reconciliation-runs';
import { startOf } from '../../reconciliation/run-cursor';
import { readWindow } from '../../reconciliation/run-window';
import type { RunWindow } from '../../reconciliation/run-window';
import type { ReconciliationContext, StepResult, StepWork } from './context';
import { engineStep, missingStep, referencesStep } from './engine-step';
import { forgetOldRuns } from './forget-old-runs';
import { InquiryThrottle } from './inquiry-throttle';
import { orphansStep } from './orphans-step';
import { linesStep, statementStep } from './statement-steps';
import { transfersStep } from './transfers-step';

/** Type of the failure for an argument that breaks rules; not retried. */
const INVALID_RECONCILIATION = 'InvalidReconciliation';

/** Result of workflow `reconciliation` (contract section 3). */
export interface ReconciliationResult {
  readonly asOf: string;
  readonly outcome: Outcome;
  readonly totals: ControlTotals;
  readonly breaksOpened: number;
  readonly breaksResolved: number;
  /** The total; `notAsked` holds the first of them. */
  readonly notAskedCount: number;
  readonly notAsked: readonly {
    readonly originId: number;
    readonly book: NotAsked['book'];
    readonly why: NotAsked['reason'];
  }[];
  /**
   * The report's link in the chain of reports: Temporal's history keeps its hash outside the journal. Absent in older
   * histories.
   */
  readonly chain?: ChainLink | null | undefined;
}

const NO_LONGER_KEPT = 'statementId: its lines are no longer kept; read the file again';
const NOT_ASKED_LISTED_MAX = 100;
const HEARTBEAT_EVERY_MS = 5_000;
/** Maximum number of tries of a step. A step that lost a race starts again from the journal's new state. */
const TRIES_MAX = 5;
/** An asOf in the future is refused; this much is allowed, because clocks differ a little. */
const AHEAD_MAX_MS = 60_000;

export function reconciliationActivities(context: ReconciliationContext) {
  const { journal } = context;

  const windowOf = async (asOf: string): Promise<RunWindow | null> => {
    const opened = await journal.openedRun(asOf);
    return opened?.kind === 'open' ? opened.window : null;
  };

  return {
    /** Opens the run of an asOf, or returns its result if it has ended before. */
    openReconciliation: (request: {
      readonly input: unknown;
      /** The scheduled time, or the time of the start; ISO UTC. */
      readonly defaultAsOf: string;
    }): Promise<{ readonly asOf: string; readonly result: ReconciliationResult | null }> =>
      beating(async () => {
        const reading = readWindow(request.input, request.defaultAsOf);
        if (!reading.ok) throw invalid(reading.problems);
        const { window } = reading;
        if (Date.parse(window.asOf) > Date.now() + AHEAD_MAX_MS) throw invalid(['asOf: is in the future']);
        const { statementId } = window;
        if (statementId !== null && (await journal.statement(statementId)) === null) {
          throw invalid(['statementId: no such statement has been read']);
        }
        const isBegun = (await journal.runStep(window.asOf, 1)) !== null;
        const isKept = async (): Promise<boolean> =>
          isBegun || statementId === null || (await journal.hasAllLines(statementId));
        if (!(await isKept())) throw invalid([NO_LONGER_KEPT]);
        const opened = await journal.openRun(window);
        // From now on the statement's lines are kept, but an earlier run may have deleted them.
        if (!(await isKept())) throw invalid([NO_LONGER_KEPT]);
        return {
          asOf: window.asOf,
          result: opened.kind === 'ended' ? resultOf(opened.report) : null,
        };
      }),

    /** Executes the next step of a run, unless it was recorded before. False: the run has no more steps. */
    reconcileStep: ({ asOf, step }: { readonly asOf: string; readonly step: number }): Promise<boolean> =>
      beating(async () => {
        for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
          const done = await journal.runStep(asOf, step);
          if (done !== null) return done.next !== null;
          const window = await windowOf(asOf);
          if (window === null) return false;
          const before = step === 1 ? null : await journal.runStep(asOf, step - 1);
          const cursor =
            before === null ? startOf(window.statementId === null ? 'transfers' : 'lines') : before.next;
          if (cursor === null) return false;
          const throttle = new InquiryThrottle(context.limiter, {
            hasGivenUpBefore: before?.isBankAway ?? false,
            pollActiveMs: context.settings.pollActiveMs,
          });
          const result = await stepResult(context, { window, cursor, throttle });
          const { written, seen, opened, resolved } = updateBreaks(result.known, result, asOf);
          const outcome: StepOutcome = {
            totals: result.totals,
            notAskedCount: result.notAsked.length,
            notAsked: result.notAsked.slice(0, NOT_ASKED_LISTED_MAX),
            ...{ opened, resolved, checked: result.checked.length, next: result.next },
            isBankAway: throttle.hasGivenUp,
          };
          const { checked, notAsked } = result;
          const record = { asOf, step, outcome, checked, notAsked, breaks: written, seen };
          if (await journal.recordStep(record)) return result.next !== null;
        }
        throw new Error(`reconciliation ${asOf}: step ${step}: another writer was faster ${TRIES_MAX} times`);
      }),

    endReconciliation: (asOf: string): Promise<ReconciliationResult> =>
      beating(async () => {
        const opened = await journal.openedRun(asOf);
        if (opened === null) throw new Error(`reconciliation ${asOf} is not in the journal`);
        if (opened.kind === 'ended') {
          // An earlier try has recorded the report, and may have died before this call.
          await context.onRecorded?.(opened.report);
          return resultOf(opened.report);
        }
        const found = reportOf(opened.window, await journal.runSteps(asOf), await journal.seenTallies(asOf));
        const report = { ...found, chain: await journal.endRun(asOf, found) };
        context.onEnd?.(report);
        await context.onRecorded?.(report);
        try {
          await forgetOldRuns(journal, context.keepMs);
        } catch (error) {
          // The run has ended even if the deletion failed; the next run deletes the rest.
          context.onKept?.(error);
        }
        return resultOf(report);
      }),
  };
}

export type ReconciliationActivities = ReturnType<typeof reconciliationActivities>;

function stepResult(context: ReconciliationContext, work: StepWork): Promise<StepResult> {
  switch (work.cursor.phase) {
    case 'lines':
      return linesStep(context, work);
    case 'transfers':
      return transfersStep(context, work);
    case 'missing':
      return missingStep(context, work);
    case 'engine':
      return engineStep(context, work);
    case 'references':
      return referencesStep(context, work);
    case 'orphans':
      return orphansStep(context, work);
    case 'statement':
      return statementStep(context, work);
  }
}

function reportOf(
  { asOf, from, to }: RunWindow,
  steps: readonly StepOutcome[],
  { byClass, bySeverity }: BreakTallies,
): NewReport {
  const sum = (count: (step: StepOutcome) => number): number =>
    steps.reduce((total, step) => total + count(step), 0);
  const unresolved = Object.values(byClass).reduce((total, { count }) => total + count, 0);
  const notAskedCount = sum((step) => step.notAskedCount);
  return {
    ...{ asOf, from, to, byClass, bySeverity, notAskedCount },
    outcome: outcomeOf(unresolved, notAskedCount),
    totals: steps.reduce((totals, step) => mergeTotals(totals, step.totals), NO_TOTALS),
    breaksOpened: sum((step) => step.opened),
    breaksResolved: sum((step) => step.resolved),
    notAsked: steps.flatMap((step) => step.notAsked).slice(0, NOT_ASKED_LISTED_MAX),
  };
}

function resultOf(report: ReportHead): ReconciliationResult {
  const { asOf, outcome, totals, breaksOpened, breaksResolved, notAskedCount, notAsked, chain } = report;
  return {
    ...{ asOf, outcome, totals, breaksOpened, breaksResolved, notAskedCount, chain },
    notAsked: notAsked.map(({ originId, book, reason }) => ({ originId, book, why: reason })),
  };
}

const invalid = (problems: readonly string[]): ApplicationFailure =>
  ApplicationFailure.create({
    type: INVALID_RECONCILIATION,
    nonRetryable: true,
    message: problems.join('; '),
  });

/** Sends heartbeats, even while the step waits for its turn at the bank. */
async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
