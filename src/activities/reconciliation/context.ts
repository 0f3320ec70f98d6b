import type { BankLimiter } from '../../bank/limiter/limiter';
import type { BankClient } from '../../bank/movements/port';
import type { TransferSettings } from '../../domain/transfer/settings';
import type { FinalChecks } from '../../journal/final-checks';
import type { OrphanDebits } from '../../journal/inbox';
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
    Pick<FinalChecks, 'claimFinalCheck' | 'recordFinalAnswer'> &
    Pick<TransferJournal, 'claimRequest' | 'recordAnswer'>;
  readonly engine: ReconciliationEngine;
  readonly settings: TransferSettings;
  /** Its rates and its breaker are those of all requests of this worker. */
  readonly limiter: Pick<BankLimiter, 'admit'>;
  /** `RECONCILE_KEEP`: what runs saw is kept for so long. */
  readonly keepMs: number;
  /** Told of each run that has ended, for the log. */
  readonly onEnd?: (report: ReportHead) => void;
  /** Told when what is older than `keepMs` could not be deleted. */
  readonly onKept?: (error: unknown) => void;
}
