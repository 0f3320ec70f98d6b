import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleOptions } from '@temporalio/client';

/** A workflow without arguments that a schedule starts; its id is the schedule's. */
export interface PeriodicWorkflow {
  readonly scheduleId: string;
  readonly workflowType: string;
  /** One line, for the Temporal UI. */
  readonly summary: string;
  readonly every: '1m' | '15m';
  /** Without a worker, a run must not block the next one for ever. */
  readonly runTimeout: '5m' | '15m';
}

export const RECOVERY_SCHEDULE = {
  ...{ scheduleId: 'giro-recovery', workflowType: 'recovery', every: '1m', runTimeout: '5m' },
  summary: 'starts lost runs again',
} as const satisfies PeriodicWorkflow;

export const WEBHOOK_CHECK_SCHEDULE = {
  ...{ scheduleId: 'giro-webhook-check', workflowType: 'webhookCheck', every: '15m', runTimeout: '15m' },
  summary: 'compares the subscriptions at the bank with WEBHOOKS_EXPECTED',
} as const satisfies PeriodicWorkflow;

/**
 * Creates a schedule, or updates the existing one; a pause stays. Only one run at a time; missed runs are not caught
 * up.
 */
export async function ensureSchedule(
  client: Client,
  taskQueue: string,
  { scheduleId, workflowType, every, runTimeout, summary }: PeriodicWorkflow,
): Promise<'created' | 'up to date'> {
  const wanted = {
    spec: { intervals: [{ every }] },
    action: {
      ...{ type: 'startWorkflow', workflowType, workflowId: scheduleId, taskQueue },
      workflowExecutionTimeout: runTimeout,
      staticSummary: summary,
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
  } as const satisfies Omit<ScheduleOptions, 'scheduleId'>;
  try {
    await client.schedule.create({ ...wanted, scheduleId });
    return 'created';
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  await client.schedule
    .getHandle(scheduleId)
    .update(({ state }) => ({ ...wanted, state: { paused: state.paused, note: state.note ?? '' } }));
  return 'up to date';
}
