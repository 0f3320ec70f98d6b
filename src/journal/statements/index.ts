/** Every statement of the journal. One that is listed here is a method of the journal under its name. */
export { annulments } from './annulments';
export { auditEntries, recordAudit } from './audit';
export {
  addLines,
  beginStatement,
  endStatement,
  hasAllLines,
  linesOf,
  listTimeOfStatement,
  recordMatches,
  statement,
  statementPage,
  suggestible,
  transfersOfLines,
  unmatchedDebits,
} from './bank-statements';
export {
  boundWithoutTransfer,
  breakHistory,
  breaks,
  changeBreak,
  knownBreaks,
  missingInJournal,
  unknownOriginIds,
  unseenOrphans,
} from './breaks';
export { claimRequest } from './claim-request';
export { differingValues } from './differing-values';
export { events } from './events';
export { figures } from './figures';
export {
  forgetLines,
  forgetRun,
  forgottenRun,
  markForgotten,
  nextToForget,
  noteEmptied,
} from './forget-reconciliations';
export { confirmHints, grantHints } from './hint-gate';
export { acknowledgeIncident, incidents } from './incidents';
export { claimInquiry, inquiriesOf, recordInquiry } from './inquiries';
export { leaseNotifications } from './lease-notifications';
export { openTransfer } from './open-transfer';
export { markLookedAt, openTransfersInTurn, recordRestoration, unfinishedTransfer } from './open-transfers';
export { openVerification } from './open-verification';
export { isOpenVerification, markVerificationsLookedAt, openVerificationsInTurn } from './open-verifications';
export { advanceSequence, bindReference, orderSha256 } from './origin-ids';
export { orphanDebits, orphanDebitsOf, recordOrphanDebits } from './orphan-debits';
export { notAsked, reconciliations } from './reconciliation-lists';
export {
  endRun,
  openRun,
  openedRun,
  recordStep,
  report,
  runProgress,
  runStep,
  runSteps,
} from './reconciliation-runs';
export { recordAnnulment } from './record-annulment';
export { recordAnswer } from './record-answer';
export { recordDecision } from './record-decision';
export { recordFlags } from './record-flags';
export { recordResult } from './record-result';
export { recordStatus } from './record-status';
export { runPage } from './run-transfers';
export { seenTallies } from './seen-tallies';
export { countUnsent, createsUnderWay, sendingState, setSending, unsentTransfers } from './sending';
export { settleNotifications } from './settle-notifications';
export { storeNotification } from './store-notification';
export { forgetNotifications, inboxBacklog } from './tend-inbox';
export { transfer, transferByNetworkId, transfers } from './transfer-records';
export { transfersOf } from './transfers-of';
export { recordVerificationFlags, stopVerification } from './verification-marks';
export { verification, verificationAnswer, verifications } from './verification-records';
export { verificationsOf } from './verifications-of';
export { vouchForCreate } from './vouch-for-create';
export { recordWebhookFindings } from './webhook-checks';
