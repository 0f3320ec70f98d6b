import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { ReconciliationActivities, ReconciliationResult } from '../activities/reconciliation';
import { reconciliationDetails } from './reconciliation/details';
import type { ReconciliationMoment } from './reconciliation/details';
import { isContinued } from './run-chain';

/**
 * A step is repeated until the journal has it; what was asked before is not asked again. It beats while it waits for
 * its turn at the bank, so that one whose worker has gone is taken up soon.
 */
const { openReconciliation, reconcileStep, endReconciliation } = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A step is six events: far below what the engine bears in one run. */
const STEPS_A_RUN = 100;

/** Set by the engine on what a schedule starts. */
const SCHEDULED_START = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

interface Progress {
  readonly asOf: string;
  /** The step to go on with, from 1. */
  readonly step: number;
}

/**
 * Compares the books of a moment (contract section 6). `input`: {asOf, from, to}, all of them optional; the same asOf
 * is the same report, however often it is run.
 */
export async function reconciliation(input?: unknown, carried?: Progress): Promise<ReconciliationResult> {
  const progress = carried !== undefined && isContinued() ? carried : null;
  if (progress === null) {
    tell({ at: 'opening' });
    const opened = await openReconciliation.executeWithOptions({ summary: 'the window' }, [
      { input: input ?? null, defaultAsOf: scheduledTime() },
    ]);
    if (opened.result !== null) return ended(opened.result);
    return steps(input, { asOf: opened.asOf, step: 1 });
  }
  return steps(input, progress);
}

async function steps(input: unknown, { asOf, step }: Progress): Promise<ReconciliationResult> {
  let next = step;
  for (;;) {
    tell({ at: 'step', asOf, step: next });
    const again = await reconcileStep.executeWithOptions({ summary: `step ${next}` }, [{ asOf, step: next }]);
    if (!again) break;
    next += 1;
    if (next - step >= STEPS_A_RUN) return continueAsNew<typeof reconciliation>(input, { asOf, step: next });
  }
  return ended(await endReconciliation.executeWithOptions({ summary: 'the report' }, [asOf]));
}

function ended(result: ReconciliationResult): ReconciliationResult {
  tell({ at: 'end', result });
  return result;
}

function tell(moment: ReconciliationMoment): void {
  setCurrentDetails(reconciliationDetails(moment, workflowInfo().startTime.toISOString()));
}

/** When the schedule meant it to start, so that a late start speaks of the same moment. */
function scheduledTime(): string {
  const { typedSearchAttributes, startTime } = workflowInfo();
  return (typedSearchAttributes.get(SCHEDULED_START) ?? startTime).toISOString();
}
