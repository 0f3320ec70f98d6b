import type { TransferActivityContext } from './context';
import { createTransfer } from './create-transfer';
import { lookUpMovement } from './look-up-movement';
import { readClock } from './read-clock';
import { receiveTransfer } from './receive-transfer';
import { recordAnnulment } from './record-annulment';
import { recordDecision, recordFlags, recordResult } from './record-transfer';
import { verifyDecision } from './signed-decisions';
import { ended, timed, timedToEnd } from './timed';
import { withdrawTransfer } from './withdraw-transfer';

/** The activities of a transfer, under the names that workflows call them by. */
export function transferActivities(context: TransferActivityContext) {
  return {
    receiveTransfer: timedToEnd(receiveTransfer(context)),
    createTransfer: ended(createTransfer(context)),
    lookUpMovement: timedToEnd(lookUpMovement(context)),
    withdrawTransfer: timed(withdrawTransfer(context)),
    recordResult: timed(recordResult(context)),
    recordDecision: timed(recordDecision(context)),
    recordFlags: timed(recordFlags(context)),
    verifyDecision: timed(verifyDecision(context)),
    recordAnnulment: recordAnnulment(context),
    readClock,
  };
}

export type TransferActivities = ReturnType<typeof transferActivities>;
