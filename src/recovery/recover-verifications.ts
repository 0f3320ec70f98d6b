import type { VerificationTurn } from '../journal/statements/open-verifications';
import { RunRefused } from './port';
import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { EngineErrors, RunState } from './port';
import { recoverLeastRecentlyChecked } from './least-recently-checked';
import type { RecoveryReport } from './recover';

/** Temporal's runs of verifications, by requestId. */
export interface VerificationRuns extends EngineErrors {
  observe(requestId: string): Promise<RunState>;
  /**
   * Starts a run unless one is open.
   *
   * @returns false when another start was first
   * @throws RunRefused the engine does not accept such a run
   */
  start(requestId: string): Promise<boolean>;
}

export interface VerificationRecoveryReport {
  /** Open verifications that were checked. */
  readonly checked: number;
  /** requestIds whose runs were started again, or would be in a dry run. */
  readonly recovered: readonly string[];
  /** The first hundred that could not be recovered: Temporal refuses a run, or there was an unexpected error. */
  readonly refused: readonly string[];
  readonly refusedInAll: number;
  /** A limit was reached: the others wait for the next recovery. */
  readonly more: boolean;
}

export interface VerificationRecoveryOptions {
  readonly journal: Pick<
    Journal,
    'leastRecentlyCheckedVerifications' | 'markVerificationsChecked' | 'isOpenVerification'
  >;
  readonly runs: VerificationRuns;
  readonly checksMax: number;
  readonly startsMax: number;
  /** Only checks: nothing is started or marked. */
  readonly dryRun?: boolean;
  readonly isOver?: () => boolean;
}

/**
 * Starts a run for each verification that the journal has open and no run drives. A run that completed counts as lost
 * here: the journal has no outcome, so it was restored. Asking the bank again does no harm.
 */
export async function recoverVerifications({
  journal,
  runs,
  checksMax,
  startsMax,
  dryRun = false,
  isOver = () => false,
}: VerificationRecoveryOptions): Promise<VerificationRecoveryReport> {
  const { checked, recovered, failed, failedInAll, more } = await recoverLeastRecentlyChecked<
    VerificationTurn,
    'ENGINE_REFUSED'
  >({
    page: (place) => journal.leastRecentlyCheckedVerifications(place),
    recoverOne: async ({ requestId }) => {
      const state = await runs.observe(requestId);
      if (state === 'open' || state === 'idle') return 'left';
      try {
        // The verification may have ended, or been stopped, since the page was read.
        if (!(await journal.isOpenVerification(requestId))) return 'left';
        return dryRun || (await runs.start(requestId)) ? 'recovered' : 'left';
      } catch (error) {
        if (error instanceof RunRefused) return 'ENGINE_REFUSED';
        throw error;
      }
    },
    isOutage: (error) => error instanceof JournalUnavailable || runs.isAway(error),
    mark: dryRun ? null : (turns) => journal.markVerificationsChecked(turns.map((turn) => turn.requestId)),
    ...{ checksMax, startsMax, isOver },
  });
  return {
    ...{ checked, more },
    recovered: recovered.map(({ requestId }) => requestId),
    refused: failed.map(({ turn }) => turn.requestId),
    refusedInAll: failedInAll,
  };
}

/** The result of a complete recovery: the fields for transfers, and those for verifications. */
export interface FullRecoveryReport extends RecoveryReport {
  readonly verifications: VerificationRecoveryReport;
}
