import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { ownResult } from '../client/own-result';
import { StartWorkflowClient } from '../client/start-workflow-client';
import { reconciliationWorkflowId } from '../reconciliation/run-window';
import type { RunInput } from '../reconciliation/run-window';

export const RECONCILIATION_SCHEDULE = 'giro-reconciliation';
const WORKFLOW_TYPE = 'reconciliation';
const TIMEZONE = 'America/Argentina/Buenos_Aires';
/** After a longer outage the server does not start the missed runs, and counts them as missed. */
const CATCH_UP = '2h';

/** Starts the run for an asOf, or finds the existing run. Returns whether this call started it. */
export async function startReconciliation(
  client: Client,
  taskQueue: string,
  input: RunInput & { readonly asOf: string },
): Promise<boolean> {
  try {
    const { started } = await new StartWorkflowClient(client).startOrAttach(WORKFLOW_TYPE, {
      workflowId: reconciliationWorkflowId(input.asOf),
      taskQueue,
      args: [input],
      staticSummary: `reconciliation as of ${input.asOf}`,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    return started;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/**
 * Waits for the end of a run. Returns a sentence if the run refused its argument; null: the run has a report.
 *
 * @throws ForeignResultError Temporal has another run's result in its place
 */
export async function endOfReconciliation(client: Client, asOf: string): Promise<string | null> {
  try {
    const workflowId = reconciliationWorkflowId(asOf);
    const handle = client.workflow.getHandle(workflowId);
    ownResult((await handle.result()) as { readonly asOf: string }, 'asOf', asOf, workflowId);
    return null;
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause?.cause : null;
    if (cause instanceof ApplicationFailure && cause.type === 'InvalidReconciliation') return cause.message;
    throw error;
  }
}

/**
 * Creates the schedule, or changes the cron of the existing schedule; a pause stays. The runs have no argument: a
 * stored argument would stay sealed under one key for ever, and if that key were lost, each run would pause.
 */
export async function scheduleReconciliation(
  client: Client,
  taskQueue: string,
  cron: string,
): Promise<'created' | 'changed'> {
  const wanted = {
    spec: { cronExpressions: [cron], timezone: TIMEZONE },
    action: {
      ...{ type: 'startWorkflow', workflowType: WORKFLOW_TYPE, workflowId: WORKFLOW_TYPE, taskQueue },
      staticSummary: 'reconciliation by schedule',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP },
  } as const satisfies Omit<ScheduleOptions, 'scheduleId'>;
  try {
    await client.schedule.create({
      ...wanted,
      scheduleId: RECONCILIATION_SCHEDULE,
      state: { note: cron },
    });
    return 'created';
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  await client.schedule
    .getHandle(RECONCILIATION_SCHEDULE)
    .update(({ state }) => ({ ...wanted, state: { paused: state.paused, note: cron } }));
  return 'changed';
}

export interface ReconciliationSchedule {
  /** As given. */
  readonly cron: string;
  readonly timezone: string;
  readonly paused: boolean;
  /** ISO UTC, like every time here. */
  readonly next: readonly string[];
  readonly recent: readonly string[];
  /** Runs that were too late to be caught up, and runs skipped because another was in progress. */
  readonly missed: number;
  readonly skipped: number;
}

/** Null: no schedule exists. */
export async function reconciliationSchedule(client: Client): Promise<ReconciliationSchedule | null> {
  try {
    return toSchedule(await client.schedule.getHandle(RECONCILIATION_SCHEDULE).describe());
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

function toSchedule({ state, info, raw }: ScheduleDescription): ReconciliationSchedule {
  const { missedCatchupWindow, overlapSkipped } = raw.info ?? {};
  return {
    cron: state.note ?? '',
    timezone: TIMEZONE,
    paused: state.paused,
    next: info.nextActionTimes.slice(0, 3).map((at) => at.toISOString()),
    recent: info.recentActions.slice(-3).map(({ scheduledAt }) => scheduledAt.toISOString()),
    missed: Number(missedCatchupWindow ?? 0),
    skipped: Number(overlapSkipped ?? 0),
  };
}
