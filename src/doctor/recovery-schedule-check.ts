import { ScheduleNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { RECOVERY_SCHEDULE } from '../engine/schedules';
import { well, wrong } from './finding';
import type { Judgement } from './finding';

const { scheduleId: RECOVERY_SCHEDULE_ID } = RECOVERY_SCHEDULE;

/** The schedule that starts lost runs again: there, not paused, for the workers of this task queue. */
export async function judgeRecoverySchedule(client: Client, taskQueue: string): Promise<Judgement> {
  try {
    const { state, action } = await client.schedule.getHandle(RECOVERY_SCHEDULE_ID).describe();
    if (state.paused) {
      return wrong(
        `${RECOVERY_SCHEDULE_ID} is paused: lost runs are not started again`,
        `temporal schedule toggle --schedule-id ${RECOVERY_SCHEDULE_ID} --unpause --reason …`,
      );
    }
    if (action.taskQueue !== taskQueue) {
      return wrong(
        `${RECOVERY_SCHEDULE_ID} is for task queue ${action.taskQueue}`,
        `check GIRO_TASK_QUEUE, or run setup to have it for ${taskQueue}`,
      );
    }
    return well(`${RECOVERY_SCHEDULE_ID} starts lost runs again`);
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    return wrong(
      `there is no schedule ${RECOVERY_SCHEDULE_ID}: lost runs are not started again`,
      'run setup',
    );
  }
}
