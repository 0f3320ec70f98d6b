import { heartbeat } from '@temporalio/activity';
import { CHECKS_PER_MINUTE, recover } from '../recovery/recover';
import type { RecoveryReport } from '../recovery/recover';
import type { RecoveryJournal, TransferRuns } from '../recovery/port';

export interface RecoveryActivityContext {
  readonly journal: RecoveryJournal;
  readonly runs: TransferRuns;
  /** Runs that one recovery starts at most. */
  readonly startsMax: number;
  /** Told of each recovery that found something, for the log. */
  readonly onRecovery?: (report: RecoveryReport) => void;
}

/** Well under the schedule's minute: what is left over is first in turn the next time. */
const TIME_MAX_MS = 45_000;

/** One minute's recovery. A repeat begins where the last mark was made. */
export function recoverLostRuns({ journal, runs, startsMax, onRecovery }: RecoveryActivityContext) {
  return async (): Promise<RecoveryReport> => {
    const endMs = Date.now() + TIME_MAX_MS;
    const report = await recover({
      journal,
      runs,
      startsMax,
      checksMax: CHECKS_PER_MINUTE,
      isOver: () => {
        heartbeat();
        return Date.now() > endMs;
      },
    });
    if (report.recovered.length + report.failedInAll > 0) onRecovery?.(report);
    return report;
  };
}

export const recoveryActivities = (context: RecoveryActivityContext) => ({
  recoverLostRuns: recoverLostRuns(context),
});

export type RecoveryActivities = ReturnType<typeof recoveryActivities>;
