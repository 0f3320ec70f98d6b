import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RecoveryActivities } from '../activities/recover-lost-runs';
import type { FullRecoveryReport } from '../recovery/recover-verifications';
import { clock } from './markdown';

/** Few attempts: the schedule starts another recovery within the minute anyway. */
const { recoverLostRuns } = proxyActivities<RecoveryActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/**
 * Restarts lost runs of transfers and verifications (contract 4.8), and hints stranded runs of transfers. The result has
 * counts, the ids of all runs that were restarted or hinted, and the ids of the first hundred of each kind that could not
 * be recovered.
 */
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

/** A recovery's current details in the Temporal UI, in Markdown. `report` null: still running; `since`: ISO UTC. */
export function recoveryDetails(report: FullRecoveryReport | null, since: string): string {
  if (report === null) {
    return [
      '**recovering**',
      '',
      '- **waits for** journal and engine, to find open transfers and verifications without a run',
      `- **since** ${clock(since)}`,
      '- **next** restart them',
      '',
      'Nothing has to be done: the schedule starts another recovery each minute.',
    ].join('\n');
  }
  const { verifications } = report;
  return [
    '**done**',
    '',
    `- transfers: ${counts(report.checked, report.recovered, report.failedInAll)}`,
    `- verifications: ${counts(verifications.checked, verifications.recovered, verifications.refusedInAll)}`,
    ...(report.more || verifications.more ? ['- more are left to the next recovery'] : []),
    '',
    report.failedInAll + verifications.refusedInAll > 0
      ? 'See the log of the workers for their ids; `giro recover --dry-run` checks them again.'
      : 'Nothing has to be done.',
  ].join('\n');
}

const counts = (checked: number, recovered: readonly unknown[], failed: number): string =>
  `${checked} checked, ${recovered.length} restarted, ${failed} could not be restarted`;
