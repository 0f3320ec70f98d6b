import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/index';
import { LOCAL_RETRY } from '../local-retry';

/**
 * How each activity runs. A step runs again if the journal was unreachable or its worker was lost. No step calls the
 * bank twice: a repeated step finds its number claimed, and answers from the journal.
 */

/**
 * About ten minutes. After them the run updates its age, continues as new and tries again. A retry of a local activity
 * costs six events, and nothing can flag the transfer while the run waits for a step.
 */
const TRIES_MAX = 25;

/**
 * Short steps run inside the workflow task: an ordinary activity would cost five more events for each poll. The claim
 * makes a repeat harmless.
 */
const local = proxyLocalActivities<TransferActivities>({
  startToCloseTimeout: '30s',
  ...LOCAL_RETRY,
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval: '30s',
    maximumAttempts: TRIES_MAX,
  },
});

/**
 * Ordinary activities send a heartbeat each second (`whileBeating`), so that the loss of their worker is noticed long
 * before their time-out.
 */
const HEARTBEAT_TIMEOUT = '5s';

/**
 * Money goes out here, so this is an ordinary activity, which the UI shows. The caller sets the start-to-close
 * time-out, because the call alone may take `BANK_TIMEOUT_CREATE`; the value here only fills the option.
 */
const create = proxyActivities<TransferActivities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: TRIES_MAX },
});

/**
 * Repeated until the journal has the annulment, if necessary by the next run. The journal's primary key admits only one
 * annulment.
 */
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
