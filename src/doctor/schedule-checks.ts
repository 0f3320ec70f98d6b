import { ScheduleNotFoundError } from '@temporalio/client';
import type { Client, ScheduleDescription, WorkflowExecutionStatusName } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { RECONCILIATION_SCHEDULE } from '../engine/reconciliation-runs';
import { well, wrong } from './check-result';
import type { Judgement } from './check-result';
import { RECOVERY_SCHEDULE } from '../engine/schedules';

/** A hundred thousand finals at ten inquiries per second take three hours. */
const RUN_MAX_MS = 24 * 3_600_000;
const WITHOUT_REPORT: ReadonlySet<WorkflowExecutionStatusName> = new Set([
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'TIMED_OUT',
]);

/** The schedule that compares the books. Its absence is a choice; a pause or a failed last run is a problem. */
export async function judgeReconciliationSchedule(client: Client, taskQueue: string): Promise<Judgement> {
  try {
    return await judge(
      client,
      taskQueue,
      await client.schedule.getHandle(RECONCILIATION_SCHEDULE).describe(),
    );
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    return well('only by hand: reconcile schedule --cron SPEC would compare the books regularly');
  }
}

async function judge(client: Client, taskQueue: string, schedule: ScheduleDescription): Promise<Judgement> {
  const idle = judgeIdle(schedule, taskQueue, {
    without: 'the books are not compared automatically',
    remake: 'reconcile schedule --cron SPEC',
  });
  if (idle !== null) return idle;
  const { info, raw } = schedule;
  const last = info.recentActions.at(-1);
  const missed = Number(raw.info?.missedCatchupWindow ?? 0);
  const tail = [
    `next ${info.nextActionTimes[0]?.toISOString() ?? 'never'}`,
    ...(missed > 0 ? [`${missed} missed so far`] : []),
  ].join(', ');
  if (last === undefined) return well(`${RECONCILIATION_SCHEDULE} has not run yet; ${tail}`);
  const at = last.scheduledAt.toISOString();
  const status = await statusOf(client, last.action.workflow.workflowId);
  if (status !== null && WITHOUT_REPORT.has(status)) {
    return wrong(
      `the run of ${at} ended as ${status}, without a report`,
      `giro reconcile run --as-of ${at}, and check that run in the Temporal UI`,
    );
  }
  if (status === 'RUNNING' && Date.now() - last.takenAt.getTime() > RUN_MAX_MS) {
    return wrong(
      `the run of ${at} has been at work for over a day, and holds up those that follow`,
      'is a worker running? reconcile list shows the progress',
    );
  }
  return well(`${RECONCILIATION_SCHEDULE}: last run ${at}, ${tail}`);
}

/** Null: Temporal has forgotten it. */
async function statusOf(client: Client, workflowId: string): Promise<WorkflowExecutionStatusName | null> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

const { scheduleId: RECOVERY_SCHEDULE_ID } = RECOVERY_SCHEDULE;
const LOST_RUNS_STAY = 'lost runs are not started again';

/** The schedule that starts lost runs again: it exists, is not paused, and is for the workers of this task queue. */
export async function judgeRecoverySchedule(client: Client, taskQueue: string): Promise<Judgement> {
  try {
    const schedule = await client.schedule.getHandle(RECOVERY_SCHEDULE_ID).describe();
    const wording = { without: LOST_RUNS_STAY, remake: 'run setup' };
    return judgeIdle(schedule, taskQueue, wording) ?? well(`${RECOVERY_SCHEDULE_ID} starts lost runs again`);
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    return wrong(`there is no schedule ${RECOVERY_SCHEDULE_ID}: ${LOST_RUNS_STAY}`, 'run setup');
  }
}

/** What keeps a schedule from running on the workers of this task queue; null: nothing. */
function judgeIdle(
  { scheduleId, state, action }: ScheduleDescription,
  taskQueue: string,
  { without, remake }: { readonly without: string; readonly remake: string },
): Judgement | null {
  if (state.paused) {
    return wrong(
      `${scheduleId} is paused: ${without}`,
      `temporal schedule toggle --schedule-id ${scheduleId} --unpause --reason …`,
    );
  }
  return action.taskQueue === taskQueue
    ? null
    : wrong(
        `${scheduleId} is for task queue ${action.taskQueue}`,
        `check GIRO_TASK_QUEUE, or ${remake} to have it for ${taskQueue}`,
      );
}
