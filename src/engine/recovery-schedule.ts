import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleOptions } from '@temporalio/client';

export const RECOVERY_SCHEDULE_ID = 'giro-recovery';

const INTERVAL = '1m';
/** While no worker is there a run must not stand in the way of the next one for ever. */
const RUN_TIMEOUT = '5m';

/**
 * Makes schedule `giro-recovery`: workflow `recovery` each minute, never two at a time, none caught up that were
 * missed. One that is there is brought up to date; a pause of it stays.
 */
export async function ensureRecoverySchedule(
  client: Client,
  taskQueue: string,
): Promise<'created' | 'up to date'> {
  const wanted = {
    spec: { intervals: [{ every: INTERVAL }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'recovery',
      workflowId: RECOVERY_SCHEDULE_ID,
      taskQueue,
      workflowExecutionTimeout: RUN_TIMEOUT,
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: INTERVAL },
  } as const satisfies Omit<ScheduleOptions, 'scheduleId'>;
  try {
    await client.schedule.create({ ...wanted, scheduleId: RECOVERY_SCHEDULE_ID });
    return 'created';
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  await client.schedule
    .getHandle(RECOVERY_SCHEDULE_ID)
    .update(({ state }) => ({ ...wanted, state: { paused: state.paused, note: state.note ?? '' } }));
  return 'up to date';
}
