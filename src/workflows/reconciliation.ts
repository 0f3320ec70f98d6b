import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { ReconciliationActivities, ReconciliationResult } from '../activities/reconciliation';
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
    const opened = await openReconciliation({ input: input ?? null, defaultAsOf: scheduledTime() });
    if (opened.result !== null) return opened.result;
    return steps(input, { asOf: opened.asOf, step: 1 });
  }
  return steps(input, progress);
}

async function steps(input: unknown, { asOf, step }: Progress): Promise<ReconciliationResult> {
  let next = step;
  while (await reconcileStep({ asOf, step: next })) {
    next += 1;
    if (next - step >= STEPS_A_RUN) return continueAsNew<typeof reconciliation>(input, { asOf, step: next });
  }
  return endReconciliation(asOf);
}

/** When the schedule meant it to start, so that a late start speaks of the same moment. */
function scheduledTime(): string {
  const { typedSearchAttributes, startTime } = workflowInfo();
  return (typedSearchAttributes.get(SCHEDULED_START) ?? startTime).toISOString();
}
