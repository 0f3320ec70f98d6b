import { proxyActivities } from '@temporalio/workflow';
import type { RecoveryActivities } from '../activities/recover-lost-runs';
import type { RecoveryReport } from '../recovery/recover';

/** Few tries: the schedule starts another one within the minute anyway. */
const { recoverLostRuns } = proxyActivities<RecoveryActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Lost runs of transfers are started again (contract 4.8). The result holds the ids of those alone. */
export function recovery(): Promise<RecoveryReport> {
  return recoverLostRuns();
}
