import type { BankGate } from '../../bank/gate/gate';
import type { BankClient } from '../../bank/movements/port';
import type { TransferSettings } from '../../domain/transfer/settings';
import type { OrphanDebits } from '../../journal/inbox';
import type { Inquiries } from '../../journal/inquiries';
import type { TransferJournal } from '../../journal/port';
import type { SendingBrake } from '../../journal/sending-brake';
import type { ReconciliationEngine } from '../../reconciliation/engine-port';
import type { ReconciliationJournal, ReportHead, StatementJournal } from '../../reconciliation/port';

export interface ReconciliationContext {
  readonly bank: Pick<BankClient, 'getMovement'>;
  readonly journal: ReconciliationJournal &
    StatementJournal &
    OrphanDebits &
    Pick<SendingBrake, 'sendingState'> &
    Inquiries &
    Pick<TransferJournal, 'recordAnswer'>;
  readonly engine: ReconciliationEngine;
  readonly settings: TransferSettings;
  /** Before the bank: its rate and its breaker are those of all requests of this worker. */
  readonly gate: BankGate;
  /** `RECONCILE_MAX_RPS`; 0: no limit of its own. */
  readonly maxRps: number;
  /** `RECONCILE_KEEP`: what runs saw is kept for so long. */
  readonly keepMs: number;
  /** Told of each run that has ended, for the log. */
  readonly onEnd?: (report: ReportHead) => void;
  /** Told when what is older than `keepMs` could not be deleted. */
  readonly onKept?: (error: unknown) => void;
}
