import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { VerificationActivities } from '../../activities/verification-activities';

/**
 * All are ordinary activities. A local activity would save five events for each poll, which matters little at gaps of
 * minutes. But a local activity runs again when a signal arrives meanwhile or its workflow task is lost, and then the
 * bank would be asked twice within a gap. An ordinary activity with a single attempt asks at most once, without a claim
 * in the journal, and queries are answered while it runs.
 */
export const { askVerification } = proxyActivities<VerificationActivities>({
  // BANK_TIMEOUT is 7 s at most, the wait for a permit 1 s; the rest is for the journal's statement.
  startToCloseTimeout: '20s',
  retry: { maximumAttempts: 1 },
  // The answer to a look-up in flight still counts: the journal may already have recorded it as the outcome.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * One statement each, safe to repeat until the journal has executed it. A retry adds no event. A cancel waits for the
 * activity in progress: the journal must not record the tracking after the stop.
 */
export const { receiveVerification, recordVerificationFlags, stopVerification } =
  proxyActivities<VerificationActivities>({
    startToCloseTimeout: '30s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
