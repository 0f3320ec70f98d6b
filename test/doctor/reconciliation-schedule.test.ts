import { ScheduleNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { judgeReconciliationSchedule } from '../../src/doctor/schedule-checks';
import { reconciliationSchedule } from '../../src/engine/reconciliation-runs';

/** What a Temporal server says that was away for longer than runs are caught up, or whose last run failed. */

const AT = new Date('2026-03-05T09:00:00Z');
const DAY_MS = 86_400_000;

interface Said {
  readonly ran?: boolean;
  readonly missed?: number;
  readonly status?: string;
  readonly takenAt?: Date;
}

function engine({ ran = true, missed = 0, status = 'COMPLETED', takenAt = AT }: Said): Client {
  const workflow = { workflowId: 'reconciliation-2026-03-05T09:00:00Z' };
  const description = {
    state: { paused: false, note: '0 6 * * *' },
    action: { taskQueue: 'giro' },
    info: {
      recentActions: ran ? [{ scheduledAt: AT, takenAt, action: { workflow } }] : [],
      nextActionTimes: [new Date(AT.getTime() + DAY_MS)],
    },
    raw: { info: { missedCatchupWindow: missed, overlapSkipped: 2 } },
  };
  return {
    schedule: { getHandle: () => ({ describe: () => Promise.resolve(description) }) },
    workflow: { getHandle: () => ({ describe: () => Promise.resolve({ status: { name: status } }) }) },
  } as unknown as Client;
}

test('missed runs are reported by the schedule and by doctor', async () => {
  expect(await reconciliationSchedule(engine({ missed: 3 }))).toMatchObject({ missed: 3, skipped: 2 });
  expect(await judgeReconciliationSchedule(engine({ missed: 3 }), 'giro')).toEqual({
    ok: true,
    detail:
      'giro-reconciliation: last run 2026-03-05T09:00:00.000Z, next 2026-03-06T09:00:00.000Z, 3 missed so far',
    remedy: null,
  });
});

test.each([
  [{ status: 'FAILED' }, 'ended as FAILED, without a report', 'giro reconcile run --as-of 2026-03-05T09'],
  [{ status: 'TERMINATED' }, 'ended as TERMINATED', 'giro reconcile run'],
  [{ status: 'RUNNING' }, 'at work for over a day', 'is a worker running?'],
])('a last run that has no report: %o', async (said, detail, remedy) => {
  expect(await judgeReconciliationSchedule(engine(said), 'giro')).toMatchObject({
    ok: false,
    detail: expect.stringContaining(detail) as string,
    remedy: expect.stringContaining(remedy) as string,
  });
});

test('at work since a moment ago, or not run yet: well', async () => {
  const now = engine({ status: 'RUNNING', takenAt: new Date() });
  expect(await judgeReconciliationSchedule(now, 'giro')).toMatchObject({ ok: true });
  expect(await judgeReconciliationSchedule(engine({ ran: false }), 'giro')).toMatchObject({
    ok: true,
    detail: 'giro-reconciliation has not run yet; next 2026-03-06T09:00:00.000Z',
  });
});

test('no schedule is a choice', async () => {
  const none = {
    schedule: {
      getHandle: () => ({
        describe: () => Promise.reject(new ScheduleNotFoundError('none', 'giro-reconciliation')),
      }),
    },
  } as unknown as Client;
  expect(await judgeReconciliationSchedule(none, 'giro')).toMatchObject({
    ok: true,
    detail: expect.stringContaining('reconcile schedule --cron') as string,
  });
});
