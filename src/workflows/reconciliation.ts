import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { ReconciliationActivities, ReconciliationResult } from '../activities/reconciliation/index';
import { cutArgument } from './cut-argument';
import { isContinued } from './run-chain';
import { clock } from './markdown';

/**
 * A step is retried until the journal has recorded it; recorded inquiries are not repeated. The step sends heartbeats
 * while it waits for permits of the limiter, so that Temporal soon gives the step to another worker if the first worker
 * is lost.
 */
const { openReconciliation, reconcileStep, endReconciliation } = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A step adds six events, so the history of a run stays far below Temporal's limit. */
const STEPS_A_RUN = 100;

/** Temporal sets this attribute on runs that a schedule starts. */
const SCHEDULED_START = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

interface Progress {
  readonly asOf: string;
  /** The next step, from 1. */
  readonly step: number;
}

/**
 * Compares the books as of a given time (contract section 6). `input`: {asOf, from, to}, all of them optional. Every
 * run of the same asOf returns the same report.
 */
export async function reconciliation(input?: unknown, carried?: Progress): Promise<ReconciliationResult> {
  const progress = carried !== undefined && isContinued() ? carried : null;
  if (progress === null) {
    showProgress({ at: 'opening' });
    const opened = await openReconciliation.executeWithOptions({ summary: 'the window' }, [
      { input: cutArgument(input ?? null), defaultAsOf: scheduledTime() },
    ]);
    if (opened.result !== null) return ended(opened.result, opened.asOf);
    return steps(input, { asOf: opened.asOf, step: 1 });
  }
  return steps(input, progress);
}

async function steps(input: unknown, { asOf, step }: Progress): Promise<ReconciliationResult> {
  let next = step;
  for (;;) {
    showProgress({ at: 'step', asOf, step: next });
    const again = await reconcileStep.executeWithOptions({ summary: `step ${next}` }, [{ asOf, step: next }]);
    if (!again) break;
    next += 1;
    if (next - step >= STEPS_A_RUN) return continueAsNew<typeof reconciliation>(input, { asOf, step: next });
  }
  return ended(await endReconciliation.executeWithOptions({ summary: 'the report' }, [asOf]), asOf);
}

/** Pauses the run if somebody has substituted another run's report, as `checkOwn` does for transfers. */
function ended(result: ReconciliationResult, asOf: string): ReconciliationResult {
  if (result.asOf !== asOf)
    throw new Error(`a step of reconciliation ${asOf} brought the report of ${result.asOf}`);
  showProgress({ at: 'end', result });
  return result;
}

function showProgress(moment: ReconciliationMoment): void {
  setCurrentDetails(reconciliationDetails(moment, workflowInfo().startTime.toISOString()));
}

/** The scheduled start, so that a run that starts late has the same asOf. */
function scheduledTime(): string {
  const { typedSearchAttributes, startTime } = workflowInfo();
  return (typedSearchAttributes.get(SCHEDULED_START) ?? startTime).toISOString();
}

/** The progress of a run: before its asOf is known, at a step, or at its end. */
type ReconciliationMoment =
  | { readonly at: 'opening' }
  /** Counted from 1, over all runs of the chain. */
  | { readonly at: 'step'; readonly asOf: string; readonly step: number }
  | { readonly at: 'end'; readonly result: ReconciliationResult };

/** The run's current details in the Temporal UI. Markdown; `since`: ISO UTC of the run's start. */
export function reconciliationDetails(moment: ReconciliationMoment, since: string): string {
  switch (moment.at) {
    case 'opening':
      return ['**opening**', '', '- **waits for** the journal', `- **since** ${clock(since)}`].join('\n');
    case 'step':
      return [
        `**comparing**, as of ${clock(moment.asOf)}`,
        '',
        `- **waits for** step ${moment.step}, which compares the next part of the books`,
        `- **since** ${clock(since)} (this run)`,
        `- **next** step ${moment.step + 1}, until all parts are compared; then the report`,
        '',
        `Nothing has to be done. \`giro reconcile show ${moment.asOf}\` has the report when it has ended.`,
      ].join('\n');
    case 'end': {
      const { asOf, outcome, breaksOpened, breaksResolved, notAskedCount } = moment.result;
      return [
        `**${outcome}**, as of ${clock(asOf)}`,
        '',
        `- breaks opened ${breaksOpened}, resolved ${breaksResolved}; not asked ${notAskedCount}`,
        '',
        outcome === 'CLEAN'
          ? 'Nothing has to be done.'
          : `See \`giro reconcile show ${asOf}\` and \`giro reconcile breaks --open\`.`,
      ].join('\n');
    }
  }
}
