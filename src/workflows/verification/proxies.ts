import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { VerificationActivities } from '../../activities/verification-activities';

/**
 * All are ordinary activities. A local one would save five events a poll, which at gaps of minutes is nothing; but it
 * runs again when a signal arrives while it runs or its workflow task is lost, and then the bank is asked twice within
 * a gap. An ordinary one with a single attempt asks at most once for each turn, without a claim in the journal; and
 * queries are answered while it runs.
 */
export const { askVerification } = proxyActivities<VerificationActivities>({
  // BANK_TIMEOUT is 7 s at most, its turn at the limiter 1 s; the rest is the journal's statement.
  startToCloseTimeout: '20s',
  retry: { maximumAttempts: 1 },
  // What a question under way finds out still counts: it may be the outcome, and then the journal has it.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * One statement each, safe to repeat: again until the journal has it. A retry adds no event. A cancel waits for the
 * one under way: the journal must not be told that it is tracked after it was told that it is not.
 */
export const { receiveVerification, recordVerificationFlags, stopVerification } =
  proxyActivities<VerificationActivities>({
    startToCloseTimeout: '30s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
