import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RecoveryActivities } from '../activities/recover-lost-runs';
import type { FullRecoveryReport } from '../recovery/recover-verifications';
import { recoveryDetails } from './recovery/details';

/** Few tries: the schedule starts another one within the minute anyway. */
const { recoverLostRuns } = proxyActivities<RecoveryActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Lost runs of transfers and verifications are started again (contract 4.8). The result holds the ids of those alone. */
export async function recovery(): Promise<FullRecoveryReport> {
  const since = workflowInfo().startTime.toISOString();
  setCurrentDetails(recoveryDetails(null, since));
  const report = await recoverLostRuns.executeWithOptions(
    { summary: 'open in the journal, without a run' },
    [],
  );
  setCurrentDetails(recoveryDetails(report, since));
  return report;
}
