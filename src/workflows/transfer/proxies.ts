import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/index';

/**
 * How each activity is run. A bank call is never retried as such: a step that is repeated finds its number claimed
 * and answers from the journal. What is retried is the step, until the journal can be reached.
 */

/**
 * Short steps inside the workflow task: an ordinary activity would cost five more events a poll. The claim makes a
 * repeat harmless. Beyond a second the retry goes through a durable timer, so that queries are answered meanwhile.
 */
const local = proxyLocalActivities<TransferActivities>({
  startToCloseTimeout: '30s',
  localRetryThreshold: '1s',
  // About ten minutes; then the run continues as new and tries again (a retry costs six events).
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 25 },
});

/**
 * Money goes out here: an activity of its own that the UI shows. The caller sets the start-to-close time-out, because
 * the call alone may take `BANK_TIMEOUT_CREATE`; this one only fills the option.
 */
const create = proxyActivities<TransferActivities>({
  startToCloseTimeout: '15m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** Exactly once by the journal's key, so it is repeated until the journal has it. */
const annulment = proxyActivities<TransferActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

export const {
  receiveTransfer,
  lookUpMovement,
  withdrawTransfer,
  recordResult,
  recordFlags,
  recordDecision,
} = local;
export const { createTransfer } = create;
export const { recordAnnulment } = annulment;
