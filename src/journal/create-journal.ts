import type { KeyRing } from '../codec/key-ring';
import type { AuditTrail } from './audit-trail';
import type { ReconciliationJournal, StatementJournal } from '../reconciliation/port';
import { createInbox } from './create-inbox';
import { createReconciliation } from './create-reconciliation';
import { openDatabase } from './database';
import type { DatabaseOptions } from './database';
import type { DifferingValues } from './differing-values';
import type { EventFeed } from './event-feed';
import type { FiguresSource } from './figures';
import type { NotificationInbox, OrphanDebits } from './inbox';
import type { Incidents } from './incidents';
import type { Inquiries } from './inquiries';
import { CLEAR_ORDERS } from './order-cipher';
import type { OpenTransfers, Restorations } from './open-transfers';
import type { OrderCipher } from './order-cipher';
import type { SendingBrake } from './sending-brake';
import type { OriginIds, TransferJournal, TransferRecords } from './port';
import { annulments } from './statements/annulments';
import { auditEntries, recordAudit } from './statements/audit';
import { claimInquiry, inquiriesOf } from './statements/inquiries';
import { claimRequest } from './statements/claim-request';
import { differingValues } from './statements/differing-values';
import { events } from './statements/events';
import { figures } from './statements/figures';
import { acknowledgeIncident, incidents } from './statements/incidents';
import {
  countUnsent,
  createsUnderWay,
  sendingState,
  setSending,
  unsentTransfers,
} from './statements/sending';
import { openTransfer } from './statements/open-transfer';
import {
  markLookedAt,
  openTransfersInTurn,
  recordRestoration,
  unfinishedTransfer,
} from './statements/open-transfers';
import { advanceSequence, bindReference, orderSha256 } from './statements/origin-ids';
import { openVerification } from './statements/open-verification';
import {
  isOpenVerification,
  markVerificationsLookedAt,
  openVerificationsInTurn,
} from './statements/open-verifications';
import { recordAnnulment } from './statements/record-annulment';
import { recordAnswer } from './statements/record-answer';
import { recordDecision } from './statements/record-decision';
import { recordFlags } from './statements/record-flags';
import { recordInquiry } from './statements/inquiries';
import { recordResult } from './statements/record-result';
import { recordStatus } from './statements/record-status';
import { vouchForCreate } from './statements/vouch-for-create';
import { transfer, transferByNetworkId, transfers } from './statements/transfer-records';
import { recordVerificationFlags, stopVerification } from './statements/verification-marks';
import { verification, verificationAnswer, verifications } from './statements/verification-records';
import { answerCipher } from './sealed-answers';
import { differenceCipher } from './sealed-differences';
import type { OpenVerifications } from './open-verifications';
import type { VerificationJournal, VerificationRecords } from './verification-port';
import { recordWebhookFindings } from './statements/webhook-checks';
import type { WebhookChecks } from './webhook-checks';

export interface JournalOptions extends DatabaseOptions {
  /** How orders are stored; default: in clear. */
  readonly cipher?: OrderCipher;
  /**
   * What notifications, full answers of verifications and values that differ are sealed with; null: notifications lie
   * in clear, the others are not kept.
   */
  readonly keyRing?: KeyRing | null;
}

export interface OpenJournal {
  readonly journal: TransferJournal &
    TransferRecords &
    DifferingValues &
    OriginIds &
    AuditTrail &
    EventFeed &
    FiguresSource &
    Inquiries &
    Incidents &
    OpenTransfers &
    Restorations &
    NotificationInbox &
    OrphanDebits &
    SendingBrake &
    VerificationJournal &
    VerificationRecords &
    OpenVerifications &
    WebhookChecks &
    ReconciliationJournal &
    StatementJournal;
  readonly close: () => Promise<void>;
}

/**
 * The journal in the PostgreSQL database at `url`, worked as role `giro_runtime`. Connects with the first statement.
 * Methods throw `JournalUnavailable` (repeat later), `JournalNotReady` (run setup, grant the role) or
 * `JournalStatementError` (refused by a guard or a constraint).
 */
export function createJournal(url: string, options: JournalOptions = {}): OpenJournal {
  const database = openDatabase(url, options);
  const cipher = options.cipher ?? CLEAR_ORDERS;
  const answers = answerCipher(options.keyRing ?? null);
  const differences = differenceCipher(options.keyRing ?? null);
  return {
    journal: {
      openTransfer: (opening) => openTransfer(database, cipher, opening),
      claimRequest: (claim) => claimRequest(database, cipher, claim),
      vouchForCreate: (retry) => vouchForCreate(database, retry),
      keepsDiffering: differences.seals,
      recordAnswer: (record) => recordAnswer(database, differences, record),
      recordResult: (result) => recordResult(database, result),
      recordAnnulment: (annulment) => recordAnnulment(database, annulment),
      recordDecision: (originId, record) => recordDecision(database, originId, record),
      recordFlags: (originId, reasons, conflict) => recordFlags(database, originId, reasons, conflict),
      transfer: (originId) => transfer(database, cipher, originId),
      differingValues: (originId) => differingValues(database, differences, originId),
      transferByNetworkId: (networkId) => transferByNetworkId(database, cipher, networkId),
      transfers: (filter) => transfers(database, cipher, filter),
      annulments: (filter) => annulments(database, cipher, filter),
      bindReference: (reference) => bindReference(database, reference),
      orderSha256: (originId) => orderSha256(database, originId),
      advanceSequence: (next) => advanceSequence(database, next),
      openTransfersInTurn: (page) => openTransfersInTurn(database, page),
      markLookedAt: (originIds) => markLookedAt(database, originIds),
      unfinishedTransfer: (originId) => unfinishedTransfer(database, cipher, originId),
      recordRestoration: () => recordRestoration(database),
      sendingState: () => sendingState(database),
      setSending: (change) => setSending(database, change),
      createsUnderWay: () => createsUnderWay(database),
      countUnsent: () => countUnsent(database),
      unsentTransfers: (filter) => unsentTransfers(database, filter),
      openVerification: (requestId) => openVerification(database, requestId),
      recordStatus: (told) => recordStatus(database, answers, told),
      recordVerificationFlags: (requestId, reasons) => recordVerificationFlags(database, requestId, reasons),
      stopVerification: (requestId) => stopVerification(database, requestId),
      verification: (requestId) => verification(database, requestId),
      verifications: (filter) => verifications(database, filter),
      openVerificationsInTurn: (page) => openVerificationsInTurn(database, page),
      markVerificationsLookedAt: (requestIds) => markVerificationsLookedAt(database, requestIds),
      isOpenVerification: (requestId) => isOpenVerification(database, requestId),
      verificationAnswer: (requestId) => verificationAnswer(database, answers, requestId),
      recordAudit: (entry) => recordAudit(database, entry),
      auditEntries: (filter) => auditEntries(database, filter),
      events: (page) => events(database, page),
      figures: () => figures(database),
      claimInquiry: (claim) => claimInquiry(database, cipher, claim),
      recordInquiry: (record) => recordInquiry(database, record),
      inquiriesOf: (run) => inquiriesOf(database, run),
      incidents: (filter) => incidents(database, filter),
      acknowledgeIncident: (acknowledgement) => acknowledgeIncident(database, acknowledgement),
      recordWebhookFindings: (findings) => recordWebhookFindings(database, findings),
      ...createInbox(database, options.keyRing ?? null),
      ...createReconciliation(database, cipher, options.keyRing ?? null),
    },
    close: () => database.close(),
  };
}
