import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/index';

/**
 * How each activity is run. A bank call is never retried as such: a step that is repeated finds its number claimed
 * and answers from the journal. What is retried is the step, until the journal can be reached.
 */

/**
 * About ten minutes; then the run notes its age, continues as new and tries again. A retry of a local step costs six
 * events, and a step that is waited for without end could be flagged by nobody.
 */
const TRIES_MAX = 25;

/**
 * Short steps inside the workflow task: an ordinary activity would cost five more events a poll. The claim makes a
 * repeat harmless. Beyond a second the retry goes through a durable timer, so that queries are answered meanwhile.
 */
const local = proxyLocalActivities<TransferActivities>({
  startToCloseTimeout: '30s',
  localRetryThreshold: '1s',
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval: '30s',
    maximumAttempts: TRIES_MAX,
  },
});

/** Ordinary activities beat each second (`whileBeating`), so that the loss of their worker is noticed long before. */
const HEARTBEAT_TIMEOUT = '5s';

/**
 * Money goes out here: an activity of its own that the UI shows. The caller sets the start-to-close time-out, because
 * the call alone may take `BANK_TIMEOUT_CREATE`; this one only fills the option.
 */
const create = proxyActivities<TransferActivities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: TRIES_MAX },
});

/** Exactly once by the journal's key, so it is repeated until the journal has it; the next run goes on with that. */
const annulment = proxyActivities<TransferActivities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: TRIES_MAX },
});

export const {
  receiveTransfer,
  lookUpMovement,
  withdrawTransfer,
  recordResult,
  recordFlags,
  recordDecision,
  verifyDecision,
} = local;
export const { createTransfer } = create;
export const { recordAnnulment } = annulment;
