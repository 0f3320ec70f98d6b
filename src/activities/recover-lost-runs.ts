import { heartbeat } from '@temporalio/activity';
import type {
  FullRecoveryReport,
  VerificationRecoveryOptions,
  VerificationRuns,
} from '../recovery/recover-verifications';
import { CHECKS_PER_MINUTE, recover } from '../recovery/recover';
import type { Journal } from '../journal/journal';
import type { RecoveryOptions } from '../recovery/recover';
import { recoverVerifications } from '../recovery/recover-verifications';
import type { TransferRuns } from '../recovery/port';

export interface RecoveryActivityContext {
  readonly journal: RecoveryOptions['journal'] &
    VerificationRecoveryOptions['journal'] &
    Pick<Journal, 'recordLostRequests'>;
  readonly runs: TransferRuns;
  readonly verificationRuns: VerificationRuns;
  /** Maximum number of runs of each kind that one recovery starts. */
  readonly startsMax: number;
  /** Called after each recovery that found something, for the log. */
  readonly onRecovery?: (report: FullRecoveryReport) => void;
}

/** Both limits together are well under the schedule's minute. The next recovery begins with what is left. */
const TRANSFERS_MS = 35_000;
const VERIFICATIONS_MS = 10_000;

/** The recovery of one minute. A repeat continues after the last marked transfer. */
export function recoverLostRuns(context: RecoveryActivityContext) {
  const { journal, runs, verificationRuns, startsMax, onRecovery } = context;
  const bounds = { journal, startsMax, checksMax: CHECKS_PER_MINUTE };
  return async (): Promise<FullRecoveryReport> => {
    const transfers = await recover({
      ...{ ...bounds, runs, isOver: isOverAfter(TRANSFERS_MS) },
      recordLoss: (originId) => journal.recordLostRequests(originId),
    });
    const verifications = await recoverVerifications({
      ...bounds,
      runs: verificationRuns,
      isOver: isOverAfter(VERIFICATIONS_MS),
    });
    const report = { ...transfers, verifications };
    const found = [transfers.recovered.length, transfers.failedInAll];
    found.push(verifications.recovered.length, verifications.refusedInAll);
    if (found.some((count) => count > 0)) onRecovery?.(report);
    return report;
  };
}

function isOverAfter(ms: number): () => boolean {
  const endMs = performance.now() + ms;
  return () => {
    heartbeat();
    return performance.now() > endMs;
  };
}

export const recoveryActivities = (context: RecoveryActivityContext) => ({
  recoverLostRuns: recoverLostRuns(context),
});

export type RecoveryActivities = ReturnType<typeof recoveryActivities>;
