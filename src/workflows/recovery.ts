import { proxyActivities } from '@temporalio/workflow';
import type { RecoveryActivities } from '../activities/recover-lost-runs';
import type { FullRecoveryReport } from '../recovery/full-report';

/** Few tries: the schedule starts another one within the minute anyway. */
const { recoverLostRuns } = proxyActivities<RecoveryActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Lost runs of transfers and verifications are started again (contract 4.8). The result holds the ids of those alone. */
export function recovery(): Promise<FullRecoveryReport> {
  return recoverLostRuns();
}
