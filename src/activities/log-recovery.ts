import type { RecoveryReport } from '../recovery/recover';
import type { Logger } from '../telemetry/logger';

/** Ids in one log line; all of them are in the result of workflow `recovery`. */
const IDS_LOGGED_MAX = 20;

/** A transfer without a run is never normal: one line for each recovery that met some. */
export function logRecovery(logger: Logger): (report: RecoveryReport) => void {
  return ({ checked, recovered, failed, failedInAll }) => {
    const counts = { checked, recovered: recovered.length, notRecovered: failedInAll };
    const recoveredIds = recovered.slice(0, IDS_LOGGED_MAX);
    logger.warn(
      { ...counts, recoveredIds, failures: failed.slice(0, IDS_LOGGED_MAX) },
      'transfers without a run',
    );
  };
}
