import type { FullRecoveryReport } from '../recovery/recover-verifications';
import type { Logger } from '../telemetry/logger';

/** Maximum number of ids in one log line; the result of workflow `recovery` has the ids of all restarted runs. */
const IDS_LOGGED_MAX = 20;

/** Logs a line for each kind of lost runs that a recovery found, because a lost run is never normal. */
export function logRecovery(logger: Logger): (report: FullRecoveryReport) => void {
  return ({ checked, recovered, failed, failedInAll, verifications }) => {
    if (recovered.length + failedInAll > 0) {
      const counts = { checked, recovered: recovered.length, notRecovered: failedInAll };
      const recoveredIds = recovered.slice(0, IDS_LOGGED_MAX);
      const failures = failed.slice(0, IDS_LOGGED_MAX);
      logger.warn({ ...counts, recoveredIds, failures }, 'transfers without a run');
    }
    if (verifications.recovered.length + verifications.refusedInAll > 0) {
      logger.warn(
        {
          ...{ checked: verifications.checked, recovered: verifications.recovered.length },
          notRecovered: verifications.refusedInAll,
          recoveredIds: verifications.recovered.slice(0, IDS_LOGGED_MAX),
          failedIds: verifications.refused.slice(0, IDS_LOGGED_MAX),
        },
        'verifications without a run',
      );
    }
  };
}
