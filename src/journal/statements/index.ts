/** Every statement of the journal: each function listed here is a method of the journal under its name. */

/** Transfers: the records that drive them. */
export { openTransfer } from './open-transfer';
export { claimRequest } from './claim-request';
export { recordedAnswer } from './recorded-answer';
export { vouchForCreate } from './vouch-for-create';
export { recordAnswer } from './record-answer';
export { recordDecision } from './record-decision';
export { decisionBasis, keptDecisions } from './signed-decisions';
export { recordFlags } from './record-flags';
export { endBasis } from './end-basis';
export { recordResult } from './record-result';
export { annulments, recordAnnulment } from './annulments';

/** What is known of transfers, for commands and other programs. */
export { transfer, transferByNetworkId, transfers } from './transfer-records';
export { differingValues } from './differing-values';
export { events } from './events';
export { statistics } from './statistics';

/** originIds that the journal hands out, and the references bound to them. */
export { advanceSequence, bindReference, orderSha256 } from './origin-ids';
export { markBindingsKnown, noteLostReferences } from './lost-references';

/** For recovery: the transfers without a result, least recently checked first, and where recovery stopped. */
export {
  markTransfersChecked,
  leastRecentlyCheckedTransfers,
  recordLostRequests,
  recordRestoration,
  unfinishedTransfer,
} from './open-transfers';

/** The emergency brake: while sending is stopped no create can be claimed; look-ups and withdrawals can. */
export { sendableOrders } from './sendable-orders';
export { keepStop } from './lost-stop';
export { countUnsent, createsInFlight, sendingState, setSending, unsentTransfers } from './sending';

/** Inquiries outside a run, and the finals that their answers contradict. */
export { claimInquiry, inquiriesOf, recordInquiry } from './inquiries';
export { acknowledgeIncident, incidents } from './incidents';

/** Identity verifications. */
export { openVerification, recordVerificationFlags, stopVerification } from './verification-tracking';
export { recordStatus } from './record-status';
export { verification, verificationAnswer, verifications } from './verification-records';
export {
  isOpenVerification,
  markVerificationsChecked,
  leastRecentlyCheckedVerifications,
  verificationsOf,
} from './open-verifications';

/**
 * Notifications of the bank until they become hints. Unlike the books, these rows change while they are processed and
 * are deleted when they are old.
 */
export {
  forgetNotifications,
  inboxBacklog,
  leaseNotifications,
  setAsideNotifications,
  recordNotificationResults,
} from './notifications';
export { transfersOf } from './transfers-of';
export { confirmHints, grantHints } from './grant-hints';
export { orphanDebits, orphanDebitsOf } from './orphan-debits';
export {
  askAgainAboutDebit,
  confirmDebit,
  dropSuspectedDebit,
  leaseSuspectedDebits,
  stageDebits,
  suspectedDebits,
} from './suspected-debits';

/** What people did or read, and what checks of the subscriptions found: both append-only. */
export { auditEntries, recordAudit } from './audit';
export { recordWebhookFindings } from './webhook-checks';

/** Archives: old answers of the bank in files. */
export { archives, deleteArchived, differingLine, recordArchive, supersededAnswers } from './archives';

/** What `audit verify` recomputes. */
export { auditedTransfers, countTransfers, rowsWithoutTransfer } from './audited-transfers';

/** Reconciliations. */
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
export {
  chainHead,
  chainLinks,
  countLinks,
  linkBefore,
  recomputedLink,
  reportsWithoutLink,
} from './report-chain';
export { unnumberedRecords } from './chain-records';
export { runPage } from './run-transfers';
export { notAsked, reconciliations } from './reconciliation-lists';
export {
  boundWithoutTransfer,
  breakHistory,
  breaks,
  changeBreak,
  knownBreaks,
  missingInJournal,
  seenTallies,
  unknownOriginIds,
  unseenOrphans,
} from './breaks';
export {
  forgetLines,
  forgetRun,
  forgottenRun,
  markForgotten,
  nextToForget,
  noteEmptied,
} from './forget-reconciliations';

/** Statements of the bank, line by line. */
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
