import type { TransferActivityContext } from './context';
import { createTransfer } from './create-transfer';
import { lookUpMovement } from './look-up-movement';
import { receiveTransfer } from './receive-transfer';
import { recordAnnulment } from './record-annulment';
import { recordDecision, recordFlags, recordResult } from './record-transfer';
import { withdrawTransfer } from './withdraw-transfer';

/** The activities of a transfer, under the names that workflows call them by. */
export function transferActivities(context: TransferActivityContext) {
  return {
    receiveTransfer: receiveTransfer(context),
    createTransfer: createTransfer(context),
    lookUpMovement: lookUpMovement(context),
    withdrawTransfer: withdrawTransfer(context),
    recordResult: recordResult(context),
    recordDecision: recordDecision(context),
    recordFlags: recordFlags(context),
    recordAnnulment: recordAnnulment(context),
  };
}

export type TransferActivities = ReturnType<typeof transferActivities>;
